// Posts and comments with some words. The address says what is looked for, so it can be shared.

import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';

import type { ViewProps } from '../views.ts';
import { call } from '../api/client.ts';
import type { Comment, Post } from '../api/shapes.ts';
import { useSubject } from '../log/hooks.ts';
import { useFeeds } from '../log/snapshots.ts';
import { straight } from '../markdown/straight.ts';
import { Empty, ErrorBox, Loading } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { fieldLook } from '../parts/field.tsx';
import { Page } from '../parts/page.tsx';
import { excerptOf } from '../parts/post_row.tsx';
import { useRowKeys } from '../parts/rows.ts';
import { Time } from '../parts/time.tsx';
import { paths } from '../paths.ts';
import { Link, navigate } from '../router.tsx';
import { useText } from '../text/text.ts';
import { searchText } from '../text/views/search.ts';

const typing_pause_ms = 250;
const kinds = ['', 'post', 'comment'] as const;
type Kind = (typeof kinds)[number];

export default function SearchView({ query }: ViewProps) {
  const t = useText(searchText);
  const [words, setWords] = useState(query.get('q') ?? '');
  const [kind, setKind] = useState<Kind>('');
  const sought = (query.get('q') ?? '').trim();
  const list = useRef<HTMLUListElement>(null);
  useFeeds();
  useRowKeys(list, t);

  useEffect(() => {
    const timer = setTimeout(() => {
      if (words.trim() !== sought) navigate(paths.search(words.trim()), { replace: true });
    }, typing_pause_ms);
    return () => clearTimeout(timer);
  }, [words, sought]);

  const found = useInfiniteQuery({
    queryKey: ['search', sought, kind],
    enabled: sought !== '',
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/search', { query: { q: sought, kind, cursor: pageParam, limit: 50 } }, signal),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const rows = found.data?.pages.flatMap((page) => page.data) ?? [];
  const names = { '': t.everything, post: t.posts, comment: t.comments };

  return (
    <Page title={t.title}>
      <form
        role="search"
        className="flex flex-wrap gap-2"
        onSubmit={(event) => event.preventDefault()}
      >
        <input
          type="search"
          dir="auto"
          autoFocus
          aria-label={t.words}
          placeholder={t.placeholder}
          value={words}
          onChange={(event) => setWords(event.target.value)}
          className={`${fieldLook} grow basis-56`}
        />
        <div className="flex gap-1">
          {kinds.map((one) => (
            <Button
              key={one}
              look={one === kind ? 'plain' : 'quiet'}
              aria-pressed={one === kind}
              onClick={() => setKind(one)}
            >
              {names[one]}
            </Button>
          ))}
        </div>
      </form>
      {found.error && <ErrorBox error={found.error} again={() => void found.refetch()} />}
      <ul ref={list} aria-label={t.results} className="divide-line mt-3 divide-y">
        {rows.map((row) => (
          <FoundRow key={row.id} row={row} />
        ))}
      </ul>
      {found.isLoading && <Loading />}
      {!sought && (
        <Empty title={t.begin}>
          <p>{t.begin_about}</p>
        </Empty>
      )}
      {sought && found.isSuccess && rows.length === 0 && (
        <Empty title={t.nothing}>
          <p>{t.nothing_about}</p>
        </Empty>
      )}
      {found.hasNextPage && (
        <Button
          className="mx-auto mt-3 flex!"
          disabled={found.isFetching}
          onClick={() => void found.fetchNextPage()}
        >
          {t.more}
        </Button>
      )}
    </Page>
  );
}

function FoundRow({ row }: { row: Post | Comment }) {
  const t = useText(searchText);
  const feed = useSubject('feed', row.feed_id);
  const isComment = 'post_id' in row;
  const to = isComment ? paths.post(row.post_id, row.id) : paths.post(row.id);
  return (
    <li>
      <Link to={to} data-row className="hover:bg-hover block rounded-md px-2 py-2">
        <span className="text-soft flex flex-wrap items-baseline gap-x-2 text-sm">
          <bdi className="font-medium">{row.author_name}</bdi>
          <span className="text-faint text-xs">
            {isComment ? t.comment : t.post} {t.in} <bdi>{feed?.name}</bdi>
          </span>
          <span className="text-faint ml-auto text-xs">
            <Time at={row.created_at} />
          </span>
        </span>
        {!isComment && row.title && (
          <bdi dir="auto" className="block truncate font-medium">
            {straight(row.title)}
          </bdi>
        )}
        <Excerpt row={row} />
      </Link>
    </li>
  );
}

// Places are counted in characters, not in the halves that strings here are made of.
function Excerpt({ row }: { row: Post | Comment }) {
  const found = row.excerpt;
  const chars = found ? Array.from(straight(found.text)) : [];
  const end = found ? found.start + found.length : 0;
  return (
    <span dir="auto" className="user-text line-clamp-3 text-sm">
      {found ? (
        <>
          {chars.slice(0, found.start).join('')}
          <mark className="bg-warn-wash text-warn rounded">
            {chars.slice(found.start, end).join('')}
          </mark>
          {chars.slice(end).join('')}
        </>
      ) : (
        excerptOf(row.content)
      )}
    </span>
  );
}

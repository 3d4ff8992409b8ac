// The log itself, filtered, as it grows; and the story of one key.

import { useMemo, useState } from 'react';

import type { Event } from '../api/shapes.ts';
import type { ViewProps } from '../views.ts';
import { useShortcuts } from '../keyboard.ts';
import { useEvents } from '../log/hooks.ts';
import { useAgents } from '../log/snapshots.ts';
import { Empty, ErrorBox, Loading } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { Key } from '../parts/key.tsx';
import { Page } from '../parts/page.tsx';
import { useInView, useMark } from '../parts/rows.ts';
import { Time } from '../parts/time.tsx';
import { pageOf, paths } from '../paths.ts';
import { Link, navigate } from '../router.tsx';
import { useNoticeWords } from '../text/notices.ts';
import { useText } from '../text/text.ts';
import { eventsText } from '../text/views/events.ts';
import { isWanted, joined, summaryOf, useLogPages } from './events/pages.ts';
import type { Filter } from './events/pages.ts';

const rows_step = 300;

interface RowProps {
  event: Event;
  marked: boolean;
  open: boolean;
  toggle: (open: boolean) => void;
}

function EventRow({ event, marked, open, toggle }: RowProps) {
  const t = useText(eventsText);
  const words = useNoticeWords();
  const row = useInView<HTMLLIElement>(marked);
  return (
    <li ref={row} data-marked={marked || undefined} className={`scroll-my-2 px-3 py-1 ${marked ? 'bg-accent-wash' : 'hover:bg-hover'}`}>
      <div className="flex items-center gap-2">
        <div className="flex min-w-0 grow flex-wrap items-baseline gap-x-3 gap-y-0.5">
          <span className="text-faint w-20 shrink-0 text-xs">
            <Time at={event.at} />
          </span>
          <code className="font-mono text-xs font-semibold">{event.event}</code>
          <Key of={event.key} />
          <span className="text-faint text-xs">
            {t.by} <Key of={event.actor} />
          </span>
          <bdi className="user-text text-soft max-w-full min-w-0 truncate text-sm">
            {summaryOf(event, words)}
          </bdi>
        </div>
        <Button
          look="quiet"
          icon={open ? 'up' : 'down'}
          className="h-6! w-6!"
          aria-label={t.details}
          aria-expanded={open}
          onClick={() => toggle(!open)}
        />
      </div>
      {open && (
        <pre
          tabIndex={0}
          className="border-line bg-sunken user-text my-1 max-h-96 overflow-auto rounded border p-2 font-mono text-xs whitespace-pre-wrap"
        >
          {JSON.stringify(event, null, 2)}
        </pre>
      )}
    </li>
  );
}

function useFiltered(filter: Filter, words: string, heard: readonly Event[]) {
  const pages = useLogPages(filter);
  const shown = useMemo(() => {
    const read = pages.data?.pages.flatMap((page) => page.rows) ?? [];
    const wanted = words.toLowerCase();
    const all = joined(
      read,
      heard.filter((event) => isWanted(filter, event)),
    ).filter((event) => !wanted || JSON.stringify(event).toLowerCase().includes(wanted));
    return filter.key ? all : all.toReversed();
    // The filter's members, not the object that holds them this time.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [pages.data, heard, words, filter.key, filter.topic, filter.agent]);
  return { pages, shown };
}

// Another story is another log: nothing that was opened or held stays.
export default function Events(props: ViewProps) {
  return <EventLog key={props.query.get('key') ?? ''} {...props} />;
}

function EventLog({ query }: ViewProps) {
  const t = useText(eventsText);
  const { agents } = useAgents();
  const filter = {
    key: query.get('key') ?? '',
    topic: query.get('topic') ?? '',
    agent: query.get('agent') ?? '',
  };
  const [words, setWords] = useState('');
  const [most, setMost] = useState(rows_step);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const live = useEvents();
  const [paused, setPaused] = useState<readonly Event[] | undefined>();
  const { pages, shown } = useFiltered(filter, words, paused ?? live);
  const rows = shown.slice(0, most);

  const choose = (change: Partial<Filter>) => {
    const next = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...filter, ...change })) {
      if (value) next.set(name, value);
    }
    navigate(next.size > 0 ? `${paths.events}?${next}` : paths.events, { replace: true });
  };
  const toggle = (id: string, open: boolean) => {
    if (opened.has(id) === open) return;
    const next = new Set(opened);
    if (open) next.add(id);
    else next.delete(id);
    setOpened(next);
  };
  const open = (id: string) => toggle(id, !opened.has(id));
  const marked = useMark(
    rows.map((event) => event.event_id),
    { next: t.next, previous: t.previous, open: { words: t.open, act: open } },
  );
  useShortcuts([
    { keys: 'f', words: t.follow, act: () => setPaused(paused ? undefined : live) },
  ]);

  const page = filter.key ? pageOf(filter.key) : undefined;
  const isFiltered = words !== '' || filter.topic !== '' || filter.agent !== '';
  const topics = Object.entries(t.topics);
  const arrived = paused ? live.length - paused.length : 0;
  return (
    <Page
      title={filter.key ? t.story_of(filter.key) : t.title}
      heading={
        filter.key ? <span className="font-mono text-base break-all">{filter.key}</span> : t.title
      }
      about={filter.key ? t.story_about : t.about}
      wide
      actions={
        <>
          {page && <Button onClick={() => navigate(page)}>{t.to_page}</Button>}
          {filter.key && <Button onClick={() => navigate(paths.events)}>{t.whole_log}</Button>}
          <Button
            look={paused ? 'plain' : 'main'}
            aria-pressed={!paused}
            onClick={() => setPaused(paused ? undefined : live)}
          >
            {paused ? t.paused(Math.max(0, arrived)) : t.follow}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-2 gap-3 pb-3 sm:grid-cols-3">
        <Choice
          label={t.topic}
          value={filter.topic}
          options={[['', t.everything], ...topics]}
          onChange={(event) => choose({ topic: event.target.value })}
        />
        <Choice
          label={t.agent}
          value={filter.agent}
          options={[['', t.all_agents], ...agents.map((one) => [one.id, one.name] as const)]}
          onChange={(event) => choose({ agent: event.target.value })}
        />
        <div className="col-span-2 sm:col-span-1">
          <Field
            label={t.find}
            type="search"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        </div>
      </div>
      {pages.isPending && <Loading />}
      {pages.error && <ErrorBox error={pages.error} again={() => void pages.refetch()} />}
      {rows.length > 0 && (
        <ol
          aria-label={t.title}
          className="border-line divide-line divide-y overflow-hidden rounded-md border"
        >
          {rows.map((event) => (
            <EventRow
              key={event.event_id}
              event={event}
              marked={event.event_id === marked}
              open={opened.has(event.event_id)}
              toggle={(isOpen) => toggle(event.event_id, isOpen)}
            />
          ))}
        </ol>
      )}
      {!pages.isPending && rows.length === 0 && (isFiltered || filter.key) && (
        <p className="text-soft text-sm">{isFiltered ? t.no_match : t.no_story}</p>
      )}
      {!pages.isPending && rows.length === 0 && !isFiltered && !filter.key && (
        <Empty title={t.none}>
          <p>{t.none_about}</p>
          <Link to={paths.inbox} className="text-accent underline">
            Tyer
          </Link>
        </Empty>
      )}
      <div className="flex gap-2 pt-3">
        {shown.length > most && (
          <Button onClick={() => setMost(most + rows_step)}>{t.more}</Button>
        )}
        {shown.length <= most && pages.hasNextPage && (
          <Button
            disabled={pages.isFetchingNextPage}
            onClick={() => {
              setMost(most + rows_step);
              void pages.fetchNextPage();
            }}
          >
            {filter.key ? t.more : t.older}
          </Button>
        )}
      </div>
    </Page>
  );
}

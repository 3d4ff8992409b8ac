// What is new for its reader, and who is at work now.

import { useRef, useState } from 'react';

import type { ViewProps } from '../views.ts';
import { call } from '../api/client.ts';
import type { Post } from '../api/shapes.ts';
import { NewFeed } from '../frame/new_feed.tsx';
import { useSessionName, useSubject, useSubjects } from '../log/hooks.ts';
import { useFeeds, useInbox } from '../log/snapshots.ts';
import type { LiveRun } from '../log/subjects.ts';
import { Empty, ErrorBox, Loading } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { Page } from '../parts/page.tsx';
import { PostRow, newestFirst, titleOf } from '../parts/post_row.tsx';
import { useRowKeys } from '../parts/rows.ts';
import { Status } from '../parts/status.tsx';
import { Elapsed } from '../parts/time.tsx';
import { paths } from '../paths.ts';
import { Link } from '../router.tsx';
import { feedText } from '../text/feed.ts';
import { useText } from '../text/text.ts';
import { inboxText } from '../text/views/inbox.ts';

const recent_max = 50;
const shown_first = 300;
const read_at_once = 1_000;

export default function Inbox(_: ViewProps) {
  const t = useText(inboxText);
  const f = useText(feedText);
  const list = useRef<HTMLDivElement>(null);
  useRowKeys(list, f);
  const { feeds } = useFeeds();
  const { loading, error, again } = useInbox();
  const posts = useSubjects('post').toSorted(newestFirst);
  const runs = useSubjects('shift').filter((run) => run.status === 'running');
  const unread = posts.filter((post) => post.unread);
  const recent = posts.filter((post) => !post.unread).slice(0, recent_max);
  const [failure, setFailure] = useState<unknown>();
  const markAll = async () => {
    setFailure(undefined);
    const ids = unread.map((post) => post.id);
    try {
      for (let i = 0; i < ids.length; i += read_at_once) {
        await call('POST /api/read', { body: { ids: ids.slice(i, i + read_at_once) } });
      }
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <Page
      title={t.title}
      actions={unread.length > 0 && <Button onClick={() => void markAll()}>{t.mark_all}</Button>}
    >
      <div ref={list}>
        {error && <ErrorBox error={error} again={again} />}
        {runs.length > 0 && <Working runs={runs} />}
        {failure !== undefined && <ErrorBox error={failure} />}
        {unread.length > 0 && <Unread posts={unread} />}
        {recent.length > 0 && <Rows title={t.recent} posts={recent} />}
        {loading && posts.length === 0 && <Loading />}
        {!loading && posts.length === 0 && <Beginning feed={feeds[0]} />}
      </div>
    </Page>
  );
}

// All of them are counted, and shown as far as somebody wants to see them.
function Unread({ posts }: { posts: readonly Post[] }) {
  const t = useText(inboxText);
  const [most, setMost] = useState(shown_first);
  return (
    <>
      <Rows title={t.unread_count(posts.length)} posts={posts.slice(0, most)} />
      {posts.length > most && (
        <Button className="mx-auto mb-4 flex!" onClick={() => setMost(most + shown_first)}>
          {t.more(posts.length - most)}
        </Button>
      )}
    </>
  );
}

function Rows({ title, posts }: { title: string; posts: readonly Post[] }) {
  return (
    <section className="mb-4">
      <h2 className="text-faint px-2 pb-1 text-xs font-medium">{title}</h2>
      <ul className="divide-line divide-y">
        {posts.map((post) => (
          <PostRow key={post.id} post={post} feed />
        ))}
      </ul>
    </section>
  );
}

function Working({ runs }: { runs: readonly LiveRun[] }) {
  const t = useText(inboxText);
  return (
    <section className="mb-4">
      <h2 className="text-faint px-2 pb-1 text-xs font-medium">{t.working}</h2>
      <ul className="flex flex-col gap-px">
        {runs.map((run) => (
          <WorkingRow key={run.id} run={run} />
        ))}
      </ul>
    </section>
  );
}

function WorkingRow({ run }: { run: LiveRun }) {
  const t = useText(inboxText);
  const f = useText(feedText);
  const name = useSessionName(run.session_id, run.agent_id);
  const post = useSubject('post', run.post_id);
  return (
    <li>
      <Link
        to={paths.run(run.session_id, run.id)}
        data-row
        className="hover:bg-hover flex items-center gap-2 rounded-md px-2 py-1.5 text-sm"
      >
        <Status is="running" />
        <bdi className="min-w-0 max-w-1/2 shrink-0 truncate font-medium">
          {name}
        </bdi>
        <bdi className="text-soft min-w-0 grow truncate">
          {post ? t.on(titleOf(post, f.untitled)) : ''}
        </bdi>
        <span className="text-faint shrink-0 text-xs">
          <Elapsed from={run.started_at} />
        </span>
      </Link>
    </li>
  );
}

function Beginning({ feed }: { feed: { id: string; name: string } | undefined }) {
  const t = useText(inboxText);
  const f = useText(feedText);
  const [making, setMaking] = useState(false);
  if (feed) {
    return (
      <Empty title={t.empty}>
        <p>{t.empty_about}</p>
        <Link to={paths.feed(feed.id)} className="text-accent underline">
          {t.go_to(feed.name)}
        </Link>
      </Empty>
    );
  }
  return (
    <Empty title={t.no_feeds}>
      <p>{t.no_feeds_about}</p>
      <Button look="main" icon="plus" onClick={() => setMaking(true)}>
        {f.new_feed}
      </Button>
      <NewFeed open={making} onClose={() => setMaking(false)} />
    </Empty>
  );
}

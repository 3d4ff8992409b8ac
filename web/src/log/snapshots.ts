// What is read from the hub into the store, by name. Each may be asked for by any number of views.

import { useEffect, useMemo } from 'react';

import { ApiError, call } from '../api/client.ts';
import type { Page } from '../api/shapes.ts';
import { take, takeItem } from './fold.ts';
import { source, store, useSnapshot, useSubject, useSubjects } from './hooks.ts';
import { kept } from './subjects.ts';
import type { Kind } from './subjects.ts';
import { tellNotice } from './thread_events.ts';
import { Wanted } from './wanted.ts';

const page_rows = 200;
const pages_max = 100;
const run_pages = 10;

// All pages, each put into the store as it comes: the first rows are shown while others load.
export async function readAll<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
  put: (row: T) => void,
  pages = pages_max,
) {
  let cursor: string | undefined;
  for (let i = 0; i < pages; ++i) {
    const from = cursor;
    const page = await source.snapshot(
      () => read(from),
      (rows) => rows.data.forEach(put),
    );
    if (!page.next_cursor) return;
    cursor = page.next_cursor;
  }
}

function loadFeeds() {
  return readAll(
    () => call('GET /api/feeds'),
    (row) => take(store, 'feed', row),
  );
}

export function useFeeds() {
  const loading = useSnapshot('feeds', loadFeeds);
  const feeds = useSubjects('feed');
  const sorted = feeds.toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
  return { feeds: sorted, ...loading };
}

// All posts with something new, whatever feed they are in: what the inbox lists, and what is counted
// everywhere. From then on the log tells.
function useUnreadPosts() {
  return useSnapshot('unread posts', () =>
    readAll(
      (cursor) => call('GET /api/posts', { query: { unread: true, cursor, limit: page_rows } }),
      (row) => take(store, 'post', row),
    ),
  );
}

export function useUnread() {
  const loading = useUnreadPosts();
  return { unread: useSubjects('post').filter((post) => post.unread), ...loading };
}

// How many of a feed are unread, by the id of the feed.
export function useUnreadCounts(): ReadonlyMap<string, number> {
  const { unread } = useUnread();
  const counts = new Map<string, number>();
  for (const post of unread) counts.set(post.feed_id, (counts.get(post.feed_id) ?? 0) + 1);
  return counts;
}

function loadAgentRows() {
  return readAll(
    (cursor) => call('GET /api/agents', { query: { cursor, limit: page_rows } }),
    (row) => take(store, 'agent', row),
  );
}

// The agents with their sessions: there are few, and everything names them.
async function loadAgents() {
  await loadAgentRows();
  await readAll(
    (cursor) => call('GET /api/sessions', { query: { cursor, limit: page_rows } }),
    (row) => take(store, 'session', row),
  );
  // What runs now, so that a page that was just opened knows it, too.
  await readAll(
    (cursor) => call('GET /api/runs', { query: { status: 'running', cursor, limit: page_rows } }),
    (row) => take(store, 'shift', row),
  );
}

export function useAgents() {
  const loading = useSnapshot('agents', loadAgents);
  return { agents: useSubjects('agent'), ...loading };
}

export function useSessions(agent_id: string) {
  const loading = useSnapshot('agents', loadAgents);
  return { sessions: useSubjects('session', `agent/${agent_id}`), ...loading };
}

// The newest runs of a session, the newest last. Live ones come by themselves.
export function useRuns(session_id: string) {
  const loading = useSnapshot(`runs of ${session_id}`, () =>
    readAll(
      (cursor) => {
        const query = { cursor, limit: 50 };
        return call('GET /api/sessions/{id}/runs', { path: { id: session_id }, query });
      },
      (row) => take(store, 'shift', row),
      1,
    ),
  );
  return { runs: useSubjects('shift', `session/${session_id}`), ...loading };
}

// The newest runs of all sessions.
export function useAllRuns() {
  const loading = useSnapshot('all runs', () =>
    readAll(
      (cursor) => call('GET /api/runs', { query: { cursor, limit: page_rows } }),
      (row) => take(store, 'shift', row),
      run_pages,
    ),
  );
  return { runs: useSubjects('shift'), ...loading };
}

// What a session has to answer, and what was given up.
export function useItems(session: string) {
  const ask = { path: { id: session }, query: { limit: page_rows } };
  const { error } = useSnapshot(`items of ${session}`, () =>
    Promise.all([
      readAll(
        () => call('GET /api/sessions/{id}/pending', ask),
        (row) => takeItem(store, row, 'open'),
        1,
      ),
      readAll(
        () => call('GET /api/sessions/{id}/skipped', ask),
        (row) => takeItem(store, row, 'skipped'),
        1,
      ),
    ]),
  );
  const items = useSubjects('item', `session/${session}`);
  const having = (status: string) => items.filter((item) => item.status === status);
  return { pending: having('open'), skipped: having('skipped'), error };
}

// What nobody answers yet, whoever has to.
export function useOpenItems() {
  useSnapshot('what waits', async () => {
    const { data } = await source.snapshot(
      () => call('GET /api/work', { query: { all: true } }),
      () => {},
    );
    for (const { id } of data) {
      const ask = { path: { id }, query: { limit: page_rows } };
      await readAll(
        () => call('GET /api/sessions/{id}/pending', ask),
        (row) => takeItem(store, row, 'open'),
        1,
      );
    }
  });
  const items = useSubjects('item');
  return useMemo(() => items.filter((item) => item.status === 'open'), [items]);
}

// What an agent has used on a day, session by session.
export function useTallies(agent: string, day: string) {
  const { error, again } = useSnapshot(`use of ${agent} since ${day}`, () =>
    readAll(
      () => call('GET /api/stats', { query: { agents: agent, since: day } }),
      (row) => take(store, 'tally', { ...row, id: `${row.day}/${row.agent_id}/${row.session_id}` }),
      1,
    ),
  );
  const tallies = useSubjects('tally', `agent/${agent}`).filter((tally) => tally.day === day);
  return { tallies, error, again };
}

export function usePosts(feed_id: string, pages = 1) {
  const name = feed_id ? `posts of ${feed_id} ${pages}` : '';
  const loading = useSnapshot(name, () =>
    readAll(
      (cursor) => {
        const query = { cursor, limit: 100 };
        return call('GET /api/feeds/{id}/posts', { path: { id: feed_id }, query });
      },
      (row) => take(store, 'post', row),
      pages,
    ),
  );
  return { posts: useSubjects('post', `feed/${feed_id}`), ...loading };
}

export function usePost(id: string) {
  const loading = useSnapshot(id ? `post ${id}` : '', () =>
    source.snapshot(
      () => call('GET /api/posts/{id}', { path: { id } }),
      (row) => take(store, 'post', row),
    ),
  );
  return { post: useSubject('post', id), ...loading };
}

// Titles that are shown and posts that became unread: what is wanted in one turn of the clock is one
// request.
const wantedPosts = new Wanted(
  (ids) =>
    source.snapshot(
      () => call('GET /api/posts', { query: { ids: ids.join(',') } }),
      (page) => page.data.forEach((row) => take(store, 'post', row)),
    ),
  page_rows,
);

function wantPost(id: string) {
  if (id && !store.get('post', id) && !store.isGone('post', id)) wantedPosts.want(id);
}

// A post for what it is called; undefined until it was read, and if it is gone.
export function useNamedPost(id: string) {
  const post = useSubject('post', id);
  const isMissing = post === undefined;
  useEffect(() => {
    if (isMissing) wantPost(id);
  }, [id, isMissing]);
  return post;
}

// Hands over what the log left to be read of a kind, now and later.
function useWanted(kind: Kind, want: (id: string) => void, again: () => void) {
  useEffect(() => {
    const handOver = () => store.takeWanted(kind).forEach(want);
    const comeBack = () => source.state === 'live' && again();
    handOver();
    const ends = [store.subscribe(`wanted ${kind}`, handOver), store.subscribe('stream', comeBack)];
    return () => ends.forEach((end) => end());
  }, [kind, want, again]);
}

// What became unread and is not known here is read, so that it can be listed. Called once.
export function useUnknownThreads() {
  useWanted('post', wantPost, wantedPosts.again);
}

// How agents are doing that the log does not tell of: a few are read one by one, many together.
const few_agents = 4;
const agents_pause_ms = 1_000;

async function readAgent(id: string) {
  try {
    await source.snapshot(
      () => call('GET /api/agents/{id}', { path: { id } }),
      (row) => take(store, 'agent', row),
    );
  } catch (error) {
    // It was deleted meanwhile.
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
}

const wantedAgents = new Wanted(
  (ids) => (ids.length > few_agents ? loadAgentRows() : Promise.all(ids.map(readAgent))),
  kept.agent,
  agents_pause_ms,
);

// That a new day has begun, and its budget with it, is no event.
const budget_look_ms = 60_000;

function lookAtBudgets() {
  for (const { id, state } of store.list('agent')) if (state === 'over_budget') wantAgent(id);
}

function wantAgent(id: string) {
  if (store.get('agent', id)) wantedAgents.want(id);
}

// Keeps true what is said of how agents are doing, for the views that say it.
export function useAgentStates() {
  useWanted('agent', wantAgent, wantedAgents.again);
  useEffect(() => {
    lookAtBudgets();
    const timer = setInterval(lookAtBudgets, budget_look_ms);
    return () => clearInterval(timer);
  }, []);
}

// What is new, and the newest of the rest.
export function useInbox() {
  const unread = useUnreadPosts();
  const newest = useSnapshot('newest posts', () =>
    readAll(
      () => call('GET /api/posts', { query: { limit: 50 } }),
      (row) => take(store, 'post', row),
      1,
    ),
  );
  return {
    loading: unread.loading || newest.loading,
    error: unread.error ?? newest.error,
    again: () => {
      unread.again();
      newest.again();
    },
  };
}

// All comments of a thread, the newest first into the store, so that the end is there at once.
// They are kept, and followed, while somebody shows them.
export function useComments(post_id: string) {
  useEffect(() => {
    store.open.set(post_id, (store.open.get(post_id) ?? 0) + 1);
    return () => {
      const left = (store.open.get(post_id) ?? 1) - 1;
      if (left > 0) store.open.set(post_id, left);
      // Those who leave for a moment come back to what they saw; it stays open.
      else store.open.set(post_id, 0);
    };
  }, [post_id]);
  const loading = useSnapshot(`comments of ${post_id}`, () => {
    if (!store.open.has(post_id)) store.open.set(post_id, 0);
    return readAll(
      (cursor) => {
        const query = { cursor, limit: page_rows, order: 'desc' };
        return call('GET /api/posts/{id}/comments', { path: { id: post_id }, query });
      },
      (row) => take(store, 'comment', row),
      250,
    );
  });
  return { comments: useSubjects('comment', `post/${post_id}`), ...loading };
}

const story_pages_max = 10;

// What the hub remarked in a thread before the page was opened stands in the thread's story.
export function useThreadStory(post_id: string) {
  useSnapshot(`story of ${post_id}`, () =>
    readAll(
      (cursor) => {
        const query = { key: `thread/${post_id}`, topics: 'notice', cursor, limit: page_rows };
        return call('GET /api/events', { query });
      },
      (event) => tellNotice(store, event),
      story_pages_max,
    ),
  );
}

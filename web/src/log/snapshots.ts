// What is read from the hub into the store, by name. Each may be asked for by any number of views.

import { useEffect } from 'react';

import { call } from '../api/client.ts';
import type { Page } from '../api/shapes.ts';
import { fold, take } from './fold.ts';
import { source, store, useSnapshot, useSubject, useSubjects } from './hooks.ts';

const page_rows = 200;
const pages_max = 100;
const run_pages = 10;
const unread_pause_ms = 400;

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

// Counts of unread threads are the hub's: read again a moment after one may have changed. Called
// once, by the frame.
export function useUnreadCounts() {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = store.subscribe('unread', () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        loadFeeds().catch(() => {}); // The stream's state says already that the hub is away.
      }, unread_pause_ms);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, []);
}

// The agents with their sessions: there are few, and everything names them.
async function loadAgents() {
  await readAll(
    (cursor) => call('GET /api/agents', { query: { cursor, limit: page_rows } }),
    (row) => take(store, 'agent', row),
  );
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

const inbox_feeds_max = 30;

// The newest posts of the feeds, those with something unread first.
export function useInbox() {
  return useSnapshot('inbox', async () => {
    await loadFeeds();
    const feeds = store.list('feed').toSorted((a, b) => (b.unread ?? 0) - (a.unread ?? 0));
    for (const feed of feeds.slice(0, inbox_feeds_max)) {
      await readAll(
        () => {
          const query = { limit: feed.unread ? page_rows : 50 };
          return call('GET /api/feeds/{id}/posts', { path: { id: feed.id }, query });
        },
        (row) => take(store, 'post', row),
        1,
      );
    }
  });
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
      (event) => fold(store, event),
      story_pages_max,
    ),
  );
}

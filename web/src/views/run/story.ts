// All that the log knows of one run, from its beginning: what it said before the page was open, too.

import { useEffect } from 'react';

import { call } from '../../api/client.ts';
import { forgetSnapshot, source, store, useSnapshot, useSubject } from '../../log/hooks.ts';
import { leaveRun, tellRun, withEvent } from '../../log/run_events.ts';
import type { LiveRun } from '../../log/subjects.ts';

const pages_max = 50;

// The whole of it before anything is told: its first half is no run that goes on.
async function readStory(session: string, run: string) {
  const key = `shift/${session}/${run}`;
  let story: LiveRun | undefined;
  let cursor: string | undefined;
  for (let i = 0; i < pages_max; ++i) {
    const page = await call('GET /api/events', { query: { key, limit: 200, cursor } });
    for (const event of page.data) {
      if (story || event.event === 'run_started') story = withEvent(story, event);
    }
    if (!page.next_cursor) return story;
    cursor = page.next_cursor;
  }
  return story;
}

export function useRun(session: string, id: string) {
  const name = `story of ${session}/${id}`;
  // While somebody shows it, all that it says is kept.
  useEffect(() => {
    store.open.set(id, (store.open.get(id) ?? 0) + 1);
    return () => {
      const left = (store.open.get(id) ?? 1) - 1;
      if (left > 0) return void store.open.set(id, left);
      store.open.delete(id);
      leaveRun(store, id);
      forgetSnapshot(name);
    };
  }, [id, name]);
  const loading = useSnapshot(name, () =>
    source.snapshot(
      () => readStory(session, id),
      (story) => story && tellRun(store, story),
    ),
  );
  return { run: useSubject('shift', id), ...loading };
}

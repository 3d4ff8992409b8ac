// All that the log knows of one run, from its beginning: what it said before the page was open, too.

import { call } from '../../api/client.ts';
import { fold } from '../../log/fold.ts';
import { source, store, useSnapshot, useSubject } from '../../log/hooks.ts';

const pages_max = 50;

async function readStory(session: string, run: string) {
  const key = `shift/${session}/${run}`;
  let cursor: string | undefined;
  // The story tells everything; what was heard meanwhile is told again behind it, and counts once.
  for (let i = 0; i < pages_max; ++i) {
    const query = { key, limit: 200, cursor };
    const page = await source.snapshot(
      () => call('GET /api/events', { query }),
      (rows) => rows.data.forEach((event) => fold(store, event)),
    );
    if (!page.next_cursor) return;
    cursor = page.next_cursor;
  }
}

export function useRun(session: string, id: string) {
  const loading = useSnapshot(`story of ${session}/${id}`, () => readStory(session, id));
  return { run: useSubject('shift', id), ...loading };
}

// Which view an address means, and how its code comes.

import { useEffect, useState } from 'react';
import type { ComponentType } from 'react';

import { call } from './api/client.ts';
import { source, store } from './log/hooks.ts';
import { match } from './router.tsx';

// What a view is given: parts of the path by their names in the table below, and the query.
export interface ViewProps {
  params: Record<string, string>;
  query: URLSearchParams;
  hash: string;
}

type Load = () => Promise<{ default: ComponentType<ViewProps> }>;

// A view is loaded when it is wanted, and until it is there the one before stays. The others follow
// while nothing else is to do: then a hub that is away, or was replaced, takes none of them with it.
const views: readonly (readonly [pattern: string, load: Load])[] = [
  ['/', () => import('./views/inbox.tsx')],
  ['/feeds/:id', () => import('./views/feed.tsx')],
  ['/posts/:id', () => import('./views/thread.tsx')],
  ['/search', () => import('./views/search.tsx')],
  ['/agents', () => import('./views/agents.tsx')],
  ['/agents/:id', () => import('./views/agent.tsx')],
  ['/runs', () => import('./views/runs.tsx')],
  ['/runs/:session/:run', () => import('./views/run.tsx')],
  ['/fleet', () => import('./views/fleet.tsx')],
  ['/leases', () => import('./views/leases.tsx')],
  ['/events', () => import('./views/events.tsx')],
  ['/settings', () => import('./views/settings.tsx')],
];

const loaded = new Map<string, ComponentType<ViewProps>>();

function find(path: string) {
  for (const [pattern, load] of views) {
    const params = match(pattern, path);
    if (params) return { pattern, load, params };
  }
  return undefined;
}

// Without a pattern there is none; without a View it is not loaded yet.
export function viewAt(path: string) {
  const found = find(path);
  const View = loaded.get(found?.pattern ?? '');
  const isReady = !found || View !== undefined;
  return { pattern: found?.pattern, params: found?.params ?? {}, View, isReady };
}

// React's own lazy() holds back what it has for 300 ms, so that fallbacks do not flicker. There are
// none here.
async function bringOne(pattern: string, load: Load) {
  if (!loaded.has(pattern)) loaded.set(pattern, (await load()).default);
}

export async function bring(path: string) {
  const found = find(path);
  if (found) await bringOne(found.pattern, found.load);
}

async function bringAll() {
  for (const [pattern, load] of views) await bringOne(pattern, load);
}

function whenIdle(act: () => void) {
  if ('requestIdleCallback' in window) requestIdleCallback(act);
  else setTimeout(act, 500);
}

const reloaded_as = 'tyer.reloaded';
const reload_pause_ms = 60_000;

// The hub is there and a part of the page is not: it is of a hub before this one, or the browser
// remembers that it was not there. Loaded anew, the page asks for what there is now. What was
// written and not sent is kept. Not again and again: then something else is wrong.
async function beginAnewIfOld() {
  await call('GET /health');
  if (Date.now() - Number(sessionStorage.getItem(reloaded_as) ?? 0) < reload_pause_ms) return;
  sessionStorage.setItem(reloaded_as, String(Date.now()));
  location.reload();
}

// Brings the view at `path`, and again when the hub is back. `done` is told when it is there.
export function useBringing(path: string, done: () => void) {
  const [error, setError] = useState<unknown>();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const go = () => {
      bring(path).then(
        () => {
          if (!isCurrent) return;
          setError(undefined);
          done();
          whenIdle(() => void bringAll().catch(() => {})); // The next that comes back tries again.
        },
        (failure: unknown) => {
          if (!isCurrent) return;
          setError(failure);
          beginAnewIfOld().catch(() => {}); // It is away; when it is back, `go` is called.
        },
      );
    };
    setError(undefined);
    go();
    const unsubscribe = store.subscribe('stream', () => source.state === 'live' && go());
    return () => {
      isCurrent = false;
      unsubscribe();
    };
    // `done` means the same each time.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [path, turn]);
  return { error, again: () => setTurn((n) => n + 1) };
}

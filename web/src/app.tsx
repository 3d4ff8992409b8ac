// Which view an address means, and what everything stands in.

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ComponentType } from 'react';

import { ask, useAccount } from './account.ts';
import { Frame } from './frame/frame.tsx';
import { Guard } from './frame/guard.tsx';
import { Empty, ErrorBox, Loading } from './parts/boxes.tsx';
import { paths } from './paths.ts';
import { Link, match, useAddress } from './router.tsx';
import { SetLanguage } from './text/choose.ts';
import { frameText } from './text/frame.ts';
import { LanguageContext, firstLanguage, rememberLanguage, useText } from './text/text.ts';
import type { Language } from './text/text.ts';
import Welcome from './views/welcome.tsx';

// What a view is given: parts of the path by their names in the table below, and the query.
export interface ViewProps {
  params: Record<string, string>;
  query: URLSearchParams;
  hash: string;
}

type Load = () => Promise<{ default: ComponentType<ViewProps> }>;

// A view is loaded when it is wanted; until it is there, the one before stays.
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

function NotFound() {
  const t = useText(frameText);
  return (
    <Empty alone title={t.not_found}>
      <p>{t.not_found_why}</p>
      <Link to={paths.inbox} className="text-accent underline">
        {t.to_inbox}
      </Link>
    </Empty>
  );
}

const loaded = new Map<string, ComponentType<ViewProps>>();

function find(path: string) {
  for (const [pattern, load] of views) {
    const params = match(pattern, path);
    if (params) return { pattern, load, params };
  }
  return undefined;
}

// React's own lazy() holds back what it has for 300 ms, so that fallbacks do not flicker. There are
// none here.
async function bring(path: string) {
  const found = find(path);
  if (found && !loaded.has(found.pattern)) {
    loaded.set(found.pattern, (await found.load()).default);
  }
}

// While the hub is asked who we are.
bring(location.pathname).catch(() => {});

function CurrentView() {
  const wanted = useAddress();
  const [shown, setShown] = useState(wanted);
  const [error, setError] = useState<unknown>();
  const isReady = (url: URL) => !find(url.pathname) || loaded.has(find(url.pathname)!.pattern);
  const here = isReady(wanted) ? wanted : shown;
  const path = wanted.pathname;
  useEffect(() => {
    let isCurrent = true;
    setError(undefined);
    bring(path).then(
      () => isCurrent && setShown(new URL(location.href)),
      (failure: unknown) => isCurrent && setError(failure),
    );
    return () => {
      isCurrent = false;
    };
  }, [path]);
  if (error !== undefined) return <ErrorBox error={error} again={() => location.reload()} />;
  const found = find(here.pathname);
  if (!found) return <NotFound />;
  const View = loaded.get(found.pattern);
  if (!View) return <Loading />;
  // A view of another thing is another view: nothing of the former stays in it.
  return (
    <View
      key={here.pathname}
      params={found.params}
      query={here.searchParams}
      hash={here.hash.slice(1)}
    />
  );
}

function Everything() {
  const account = useAccount();
  useEffect(() => void ask(), []);
  switch (account.is) {
    case 'asking':
      return <Loading />;
    case 'unreachable':
      return (
        <div className="mx-auto max-w-md p-4">
          <ErrorBox error={account.error} again={() => void ask()} />
        </div>
      );
    case 'new':
    case 'out':
      return <Welcome account={account} />;
    case 'in':
      return (
        <Frame me={account.me}>
          <Guard>
            <CurrentView />
          </Guard>
        </Frame>
      );
  }
}

// For what is no subject of the log: searches, keys, leases with their verdicts.
const queries = new QueryClient({
  defaultOptions: { queries: { retry: 1, staleTime: 5_000, refetchOnWindowFocus: false } },
});

export function App() {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = (next: Language) => {
    rememberLanguage(next);
    setLanguage(next);
  };
  return (
    <QueryClientProvider client={queries}>
      <LanguageContext value={language}>
        <SetLanguage value={choose}>
          <Guard>
            <Everything />
          </Guard>
        </SetLanguage>
      </LanguageContext>
    </QueryClientProvider>
  );
}

// What everything stands in, and the view that the address means.

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { ask, useAccount } from './account.ts';
import { Frame } from './frame/frame.tsx';
import { Guard } from './frame/guard.tsx';
import { source, useChange, useStream } from './log/hooks.ts';
import { Empty, ErrorBox, Loading } from './parts/boxes.tsx';
import { Button } from './parts/button.tsx';
import { paths } from './paths.ts';
import { Link, useAddress } from './router.tsx';
import { SetLanguage } from './text/choose.ts';
import { frameText } from './text/frame.ts';
import { LanguageContext, firstLanguage, rememberLanguage, useText } from './text/text.ts';
import type { Language } from './text/text.ts';
import { bring, useBringing, viewAt } from './views.ts';
import Welcome from './views/welcome.tsx';

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

// While the hub is asked who we are.
bring(location.pathname).catch(() => {});

function CurrentView() {
  const wanted = useAddress();
  const [shown, setShown] = useState(wanted);
  const { error, again } = useBringing(wanted.pathname, () => setShown(new URL(location.href)));
  const here = viewAt(wanted.pathname).isReady ? wanted : shown;
  if (error !== undefined) return <NotHere error={error} again={again} />;
  const { pattern, params, View } = viewAt(here.pathname);
  if (!pattern) return <NotFound />;
  if (!View) return <Loading />;
  // A view of another thing is another view: nothing of the former stays in it.
  return (
    <View
      key={here.pathname}
      params={params}
      query={here.searchParams}
      hash={here.hash.slice(1)}
    />
  );
}

// Part of the page is still at the hub, which is away.
function NotHere({ error, again }: { error: unknown; again: () => void }) {
  const t = useText(frameText);
  const { state } = useStream();
  if (state === 'live') return <ErrorBox error={error} again={again} />;
  return (
    <Empty alone title={t.not_here}>
      <p role="status">{t.not_here_why}</p>
      <Button onClick={source.retry}>{t.retry}</Button>
    </Empty>
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
  defaultOptions: {
    // Without a network there may still be a hub on this machine.
    queries: { retry: 1, staleTime: 5_000, refetchOnWindowFocus: false, networkMode: 'always' },
  },
});

// What could not be asked because the hub was away is asked when it is back.
function askAgain() {
  if (source.state !== 'live') return;
  void queries.refetchQueries({ predicate: (query) => query.state.status === 'error' });
}

export function App() {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  useChange('stream', askAgain);
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

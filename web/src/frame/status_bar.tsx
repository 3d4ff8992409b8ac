// The truth about the page: whether what it shows is what the hub has now.

import { useQuery } from '@tanstack/react-query';

import { call } from '../api/client.ts';
import { source, useStream } from '../log/hooks.ts';
import type { StreamState } from '../log/source.ts';
import { Button } from '../parts/button.tsx';
import { Dot } from '../parts/status.tsx';
import type { Tone } from '../parts/status.tsx';
import { frameText } from '../text/frame.ts';
import { useText } from '../text/text.ts';

const tones: Record<StreamState, Tone> = {
  connecting: 'calm',
  live: 'good',
  reconnecting: 'warn',
  cut: 'bad',
};

export function StatusBar() {
  const t = useText(frameText);
  const { state } = useStream();
  const hub = useQuery({
    queryKey: ['health', state],
    queryFn: () => call('GET /health'),
    staleTime: Infinity,
    enabled: state === 'live',
    placeholderData: (known) => known,
  });
  const why = `${state}_why` as const;
  return (
    <footer
      aria-label={t.status}
      className={
        'border-line bg-sunken text-soft flex h-7 shrink-0 items-center gap-3 border-t ' +
        'px-3 text-xs'
      }
    >
      <span role="status" title={t[why]} className="flex shrink-0 items-center gap-1.5">
        <Dot tone={tones[state]} pulse={state !== 'live'} />
        {t[state]}
      </span>
      {(state === 'cut' || state === 'reconnecting') && (
        <>
          <span className="hidden min-w-0 truncate sm:inline">{t[why]}</span>
          <Button look="quiet" className="h-5! px-1.5! text-xs!" onClick={source.retry}>
            {t.retry}
          </Button>
        </>
      )}
      <span className="grow" />
      {hub.data?.version && <span className="shrink-0">{t.hub(hub.data.version)}</span>}
      {hub.data?.store && (
        <span className="hidden min-w-0 truncate font-mono sm:inline" title={hub.data.store}>
          {hub.data.store}
        </span>
      )}
    </footer>
  );
}

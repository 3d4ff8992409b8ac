// A status has one colour and one word everywhere.

import { statusText } from '../text/status.ts';
import { useText } from '../text/text.ts';

export type Tone = 'calm' | 'good' | 'warn' | 'bad' | 'busy';

const tones: Record<string, Tone> = {
  running: 'busy',
  stopping: 'warn',
  waiting: 'warn',
  online: 'good',
  done: 'good',
  answered: 'good',
  active: 'good',
  live: 'good',
  open: 'busy',
  hindered: 'warn',
  stale: 'warn',
  later: 'warn',
  too_long: 'warn',
  limit: 'warn',
  skipped: 'warn',
  unanswered: 'bad',
  trouble: 'bad',
  stopped: 'warn',
  unserved: 'warn',
  no_credentials: 'bad',
  over_budget: 'warn',
  silent: 'warn',
  overdue: 'warn',
  timed_out: 'bad',
  credentials: 'bad',
  mistake: 'bad',
  interrupted: 'bad',
  failed: 'bad',
  lost: 'bad',
  orphaned: 'bad',
};

export function toneOf(status: string): Tone {
  return tones[status] ?? 'calm';
}

export const toneInk: Record<Tone, string> = {
  calm: 'text-soft',
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
  busy: 'text-busy',
};

export const toneWash: Record<Tone, string> = {
  calm: 'bg-hover',
  good: 'bg-good-wash',
  warn: 'bg-warn-wash',
  bad: 'bg-bad-wash',
  busy: 'bg-busy-wash',
};

export function useStatusWord() {
  const words = useText(statusText) as Record<string, string>;
  return (status: string) => words[status] ?? status.replaceAll('_', ' ');
}

export function Status({ is }: { is: string }) {
  const word = useStatusWord();
  const tone = toneOf(is);
  return (
    <span
      className={
        'inline-flex items-center gap-1.5 rounded-full px-2 text-xs leading-5 font-medium ' +
        `whitespace-nowrap ${toneInk[tone]} ${toneWash[tone]}`
      }
    >
      <Dot tone={tone} pulse={is === 'running'} />
      {word(is)}
    </span>
  );
}

export function Dot({ tone, pulse = false }: { tone: Tone; pulse?: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={
        `inline-block size-1.5 shrink-0 rounded-full bg-current ${toneInk[tone]} ` +
        `${pulse ? 'animate-pulse' : ''}`
      }
    />
  );
}

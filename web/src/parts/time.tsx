// Times as people say them, and exactly on a second look.

import { useSyncExternalStore } from 'react';

import { partsText } from '../text/parts.ts';
import { useLanguage, useText } from '../text/text.ts';
import type { Same } from '../text/text.ts';
import { clock, subscribe } from './clock.ts';

// Drawn again only when the words change: of a thousand times on a page few do in a second.
function useWords(say: (now: number) => string) {
  return useSyncExternalStore(subscribe, () => say(clock()));
}

// The day as the hub counts it, in UTC.
export function useToday() {
  return useWords((now) => new Date(now).toISOString().slice(0, 10));
}

type Words = Same<typeof partsText.en>;

export function spanWords(ms: number, t: Words) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return t.seconds(seconds);
  if (seconds < 3600) return t.minutes(Math.floor(seconds / 60));
  if (seconds < 48 * 3600) return t.hours(Math.floor(seconds / 3600));
  return t.days(Math.floor(seconds / 86_400));
}

// To the second for an hour, so that one sees that it goes on.
function elapsedWords(ms: number, t: Words) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60 || seconds >= 3600) return spanWords(ms, t);
  return t.minutes_seconds(Math.floor(seconds / 60), seconds % 60);
}

// A length of time: 12 s, 3 min.
export function Span({ ms }: { ms: number }) {
  return <span className="tabular-nums">{spanWords(ms, useText(partsText))}</span>;
}

const week_ms = 7 * 86_400_000;

// How long ago; the date itself when that is long.
export function Time({ at }: { at: string }) {
  const t = useText(partsText);
  const language = useLanguage();
  const date = new Date(at);
  const exact = date.toLocaleString(language, { dateStyle: 'medium', timeStyle: 'medium' });
  const short = useWords((now) => {
    const age = now - Date.parse(at);
    if (age < 10_000) return t.now;
    if (age < week_ms) return t.ago(spanWords(age, t));
    return date.toLocaleDateString(language, { dateStyle: 'medium' });
  });
  return (
    <time dateTime={at} title={exact} className="whitespace-nowrap tabular-nums">
      {short}
    </time>
  );
}

// How long something takes that has not ended, or took.
export function Elapsed({ from, to }: { from: string; to?: string | undefined }) {
  const t = useText(partsText);
  const words = useWords((now) => {
    const begun = Date.parse(from);
    return elapsedWords((to ? Date.parse(to) : Math.max(now, begun)) - begun, t);
  });
  return <span className="whitespace-nowrap tabular-nums">{words}</span>;
}

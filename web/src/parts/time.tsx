// Times as people say them, and exactly on a second look. One clock for all of them.

import { useSyncExternalStore } from 'react';

import { partsText } from '../text/parts.ts';
import { useLanguage, useText } from '../text/text.ts';
import type { Same } from '../text/text.ts';

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void) {
  if (listeners.size === 0) now = Date.now();
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, 5_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function useNow() {
  return useSyncExternalStore(subscribe, () => now);
}

type Words = Same<typeof partsText.en>;

export function spanWords(ms: number, t: Words) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return t.seconds(seconds);
  if (seconds < 3600) return t.minutes(Math.floor(seconds / 60));
  if (seconds < 48 * 3600) return t.hours(Math.floor(seconds / 3600));
  return t.days(Math.floor(seconds / 86_400));
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
  const age = useNow() - Date.parse(at);
  const date = new Date(at);
  const exact = date.toLocaleString(language, { dateStyle: 'medium', timeStyle: 'medium' });
  const short = () => {
    if (age < 10_000) return t.now;
    if (age < week_ms) return t.ago(spanWords(age, t));
    return date.toLocaleDateString(language, { dateStyle: 'medium' });
  };
  return (
    <time dateTime={at} title={exact} className="whitespace-nowrap tabular-nums">
      {short()}
    </time>
  );
}

// How long something takes that has not ended, or took.
export function Elapsed({ from, to }: { from: string; to?: string | undefined }) {
  const end = useNow();
  return <Span ms={(to ? Date.parse(to) : Math.max(end, Date.parse(from))) - Date.parse(from)} />;
}

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { clock, subscribe } from './clock.ts';

const seen = new EventTarget() as EventTarget & { visibilityState: string };

function show(state: string) {
  seen.visibilityState = state;
  seen.dispatchEvent(new Event('visibilitychange'));
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  seen.visibilityState = 'visible';
  vi.stubGlobal('document', seen);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the clock ticks each second while the page is seen', () => {
  const times: number[] = [];
  const unsubscribe = subscribe(() => times.push(clock()));
  times.length = 0;
  vi.advanceTimersByTime(3_000);
  expect(times).toEqual([1_001_000, 1_002_000, 1_003_000]);
  unsubscribe();
});

test('it stands still while nobody sees the page, and is right when it is seen again', () => {
  let told = 0;
  const unsubscribe = subscribe(() => (told += 1));
  show('hidden');
  told = 0;
  vi.advanceTimersByTime(60_000);
  expect(told).toBe(0);
  show('visible');
  expect(clock()).toBe(1_060_000);
  vi.advanceTimersByTime(1_000);
  expect(clock()).toBe(1_061_000);
  unsubscribe();
});

test('without a listener nothing ticks', () => {
  subscribe(() => {})();
  expect(vi.getTimerCount()).toBe(0);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { ApiError } from '../api/client.ts';
import { Pace } from './pace.ts';
import { Wanted } from './wanted.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

// Takes `ms` each time, and remembers when it began.
function slow(ms: number) {
  const begun: number[] = [];
  const act = async () => {
    begun.push(performance.now());
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  };
  return { begun, act };
}

test('what is asked for all the time is done once a second, and once more at the end', async () => {
  const { begun, act } = slow(0);
  const pace = new Pace(act, 1_000);
  const first = performance.now();
  for (let i = 0; i < 250; ++i) {
    pace.ask();
    await wait(10);
  }
  await wait(10_000);
  expect(begun.map((at) => at - first)).toEqual([0, 1_000, 2_000, 3_000]);
});

test('what is slow comes to its end, and what was asked for meanwhile begins behind it', async () => {
  const { begun, act } = slow(5_000);
  const pace = new Pace(act, 1_000);
  const first = performance.now();
  pace.ask();
  await wait(100);
  pace.ask();
  await wait(60_000);
  expect(begun.map((at) => at - first)).toEqual([0, 6_000]);
});

test('nothing begins behind the end', async () => {
  const { begun, act } = slow(0);
  const pace = new Pace(act);
  pace.ask();
  pace.end();
  await wait(10_000);
  expect(begun).toEqual([]);
});

test('what is wanted in one turn of the clock is read together, as many as fit', async () => {
  const read = vi.fn(async (_: string[]) => {});
  const wanted = new Wanted(read, 2);
  for (const id of ['a', 'b', 'a', 'c']) wanted.want(id);
  await wait(1);
  expect(read.mock.calls).toEqual([[['a', 'b']], [['c']]]);
});

test('what could not be read while the hub was away is read when it is back', async () => {
  const read = vi.fn(async (_: string[]) => {});
  read.mockRejectedValueOnce(new ApiError(0, 'unreachable', 'it is away'));
  const wanted = new Wanted(read, 10);
  wanted.want('a');
  await wait(1);
  wanted.want('b');
  await wait(1);
  expect(read.mock.calls).toEqual([[['a']], [['a', 'b']]]);
  read.mockRejectedValueOnce(new ApiError(503, 'unavailable', 'it is busy'));
  wanted.want('c');
  await wait(1);
  wanted.again();
  await wait(1);
  expect(read.mock.calls.slice(2)).toEqual([[['c']], [['c']]]);
  wanted.again();
  await wait(60_000);
  expect(read).toHaveBeenCalledTimes(4);
});

test('what could not be read is tried again by itself', async () => {
  const read = vi.fn(async (_: string[]) => {});
  read.mockRejectedValueOnce(new ApiError(0, 'unreachable', 'it is away'));
  const wanted = new Wanted(read, 10);
  wanted.want('a');
  await wait(10_000);
  expect(read.mock.calls).toEqual([[['a']], [['a']]]);
});

test('what the hub refuses is not asked for again, and holds up nothing else', async () => {
  const read = vi.fn(async (_: string[]) => {});
  read.mockRejectedValueOnce(new ApiError(404, 'not_found', 'there is no a'));
  const wanted = new Wanted(read, 1);
  wanted.want('a');
  wanted.want('b');
  await wait(60_000);
  expect(read.mock.calls).toEqual([[['a']], [['b']]]);
});

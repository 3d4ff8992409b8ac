import { expect, test } from 'vitest';

import type { Agent, Session } from '../../api/shapes.ts';
import { madeAt } from '../../log/runs.ts';
import type { ItemState, LiveRun } from '../../log/subjects.ts';
import { byName, isIn, lanesOf, span_least, span_most, ticksOf, waitingOf, zoomed } from './lanes.ts';

const noon = Date.parse('2026-11-16T12:00:00Z');

function run(change: Partial<LiveRun>): LiveRun {
  return {
    id: 'r1',
    run: 'r1',
    session_id: 'ss_1',
    agent_id: 'ag_1',
    post_id: 'ps_1',
    feed_id: 'fd_1',
    items: [],
    status: 'ended',
    verdict: 'done',
    started_at: new Date(noon).toISOString(),
    ended_at: new Date(noon + 60_000).toISOString(),
    ...change,
  };
}

test('ids tell when they were made', () => {
  expect(new Date(madeAt('ps_01m7h0b6bk0000000j0az0gjpk')!).toISOString()).toBe(
    '2026-11-16T01:43:00.211Z',
  );
  expect(madeAt('nonsense')).toBeUndefined();
});

test('a session is a lane, its runs are bars in order', () => {
  const later = run({ id: 'r2', started_at: new Date(noon + 120_000).toISOString() });
  const lanes = lanesOf([later, run({}), run({ id: 'r3', session_id: 'ss_2' })], new Map());
  expect(lanes.map((lane) => lane.bars.map((bar) => bar.run.id))).toEqual([['r1', 'r2'], ['r3']]);
});

test('a run under way has no end', () => {
  const [lane] = lanesOf([run({ status: 'running', ended_at: undefined })], new Map());
  expect(lane?.isRunning).toBe(true);
  expect(lane?.bars[0]?.to).toBe(Infinity);
  expect(isIn({ from: noon + 3_600_000, to: noon + 7_200_000 }, lane!)).toBe(true);
});

test('a lane is seen while something of it is in the window, or waits', () => {
  const [lane] = lanesOf([run({})], new Map());
  expect(isIn({ from: noon - 1_000, to: noon + 1_000 }, lane!)).toBe(true);
  expect(isIn({ from: noon + 120_000, to: noon + 180_000 }, lane!)).toBe(false);
  const waiting = new Map([['ss_1', { agent_id: 'ag_1', since: noon }]]);
  const [other] = lanesOf([run({})], waiting);
  expect(isIn({ from: noon + 120_000, to: noon + 180_000 }, other!)).toBe(true);
});

test('zooming keeps a time where it is, and has its bounds', () => {
  const window = { from: noon, to: noon + 3_600_000 };
  const near = zoomed(window, 0.5, 0.25);
  expect(near.from + 0.25 * (near.to - near.from)).toBe(noon + 900_000);
  const nearest = zoomed(window, 0, 0.5);
  expect(nearest.to - nearest.from).toBe(span_least);
  const farthest = zoomed(window, 1e9, 0.5);
  expect(farthest.to - farthest.from).toBe(span_most);
});

test('the axis has few lines, at round times', () => {
  const { step, at } = ticksOf({ from: noon + 1, to: noon + 3_600_000 }, 8);
  expect(step).toBe(900_000);
  expect(at.length).toBeLessThanOrEqual(8);
  for (const time of at) expect(time % step).toBe(0);
});

const session = (id: string, name: string) =>
  ({ id, agent_id: 'ag_1', name, is_default: false }) as Session;
const item = (session_id: string, more: Partial<ItemState> = {}) =>
  ({ session_id, source_id: 'ps_01m7h0b6bk0000000j0az0gjpk', ...more }) as ItemState;

test('a session waits once it is known whose it is, unless it runs or was stopped', () => {
  const items = [item('ss_1'), item('ss_2'), item('ss_3', { rests: true, asks: true })];
  const runs = [run({ session_id: 'ss_2', status: 'running' })];
  const all = ['ss_1', 'ss_2', 'ss_3'].map((id) => session(id, id));
  expect([...waitingOf(items, runs, [])]).toEqual([]);
  const since = madeAt('ps_01m7h0b6bk0000000j0az0gjpk');
  expect([...waitingOf(items, runs, all)]).toEqual([['ss_1', { agent_id: 'ag_1', since }]]);
});

test('lanes stand in the order of their names once these are known', () => {
  const lanes = lanesOf(['ss_1', 'ss_2', 'ss_3'].map((session_id) => run({ session_id })), new Map());
  const order = (sessions: Session[]) =>
    byName(lanes, [{ id: 'ag_1', name: 'demo' } as Agent], sessions).map((lane) => lane.session_id);
  expect(order([])).toEqual(['ss_1', 'ss_2', 'ss_3']);
  const named = [session('ss_1', 'build-10'), session('ss_2', 'build-9'), session('ss_3', 'a')];
  expect(order(named)).toEqual(['ss_3', 'ss_2', 'ss_1']);
});

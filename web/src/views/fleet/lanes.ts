// The picture of the fleet as data: a lane for each session, its runs as bars in a window of time.

import type { Agent, Session } from '../../api/shapes.ts';
import { madeAt, statusOfRun, waitedSince } from '../../log/runs.ts';
import type { ItemState, LiveRun } from '../../log/subjects.ts';

export interface Window {
  from: number;
  to: number;
}

export interface Bar {
  run: LiveRun;
  status: string;
  from: number;
  to: number; // Infinity while it runs: when that is now is for who draws it.
  // Since when something waited for it; where it did not, the same as `from`.
  waited: number;
}

export interface Lane {
  session_id: string;
  agent_id: string;
  bars: Bar[];
  isRunning: boolean;
  // Since when something waits for it that nobody does.
  waitsSince: number | undefined;
}

export const span_least = 60_000;
export const span_most = 14 * 86_400_000;

function barOf(run: LiveRun): Bar {
  const from = Date.parse(run.started_at);
  const isRunning = run.status === 'running';
  const to = isRunning ? Infinity : Date.parse(run.ended_at ?? run.started_at);
  const waited = Math.min(waitedSince(run) ?? from, from);
  return { run, status: statusOfRun(run), from, to: Math.max(to, from), waited };
}

export interface Waiting {
  agent_id: string;
  since: number;
}

// Sessions with something to answer that nobody answers now, and since when. What was stopped by
// somebody waits for a word of theirs, and not for a run.
export function waitingOf(
  items: readonly ItemState[],
  runs: readonly LiveRun[],
  sessions: readonly Session[],
): ReadonlyMap<string, Waiting> {
  const agents = new Map(sessions.map((session) => [session.id, session.agent_id]));
  const busy = new Set(runs.filter((run) => run.status === 'running').map((run) => run.session_id));
  const waiting = new Map<string, Waiting>();
  for (const item of items) {
    const id = item.session_id;
    const agent_id = agents.get(id);
    if (!agent_id || busy.has(id) || (item.rests && item.asks)) continue;
    const since = Math.min(madeAt(item.source_id) ?? Date.now(), waiting.get(id)?.since ?? Infinity);
    waiting.set(id, { agent_id, since });
  }
  return waiting;
}

// By names, so that a lane stays where it is whatever happens in it.
export function byName(
  lanes: readonly Lane[],
  agents: readonly Agent[],
  sessions: readonly Session[],
): Lane[] {
  const names = new Map<string, string>();
  for (const agent of agents) names.set(agent.id, agent.name);
  for (const session of sessions) names.set(session.id, session.is_default ? '' : session.name);
  const nameOf = (lane: Lane) =>
    `${names.get(lane.agent_id) ?? lane.agent_id}/${names.get(lane.session_id) ?? '~'}`;
  return lanes.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), undefined, { numeric: true }));
}

// All runs, also those outside of the window: a lane does not go because one looks elsewhere.
export function lanesOf(
  runs: readonly LiveRun[],
  waiting: ReadonlyMap<string, Waiting>,
): Lane[] {
  const lanes = new Map<string, Lane>();
  const laneOf = (session_id: string, agent_id: string) => {
    let lane = lanes.get(session_id);
    if (!lane) {
      lane = { session_id, agent_id, bars: [], isRunning: false, waitsSince: undefined };
      lanes.set(session_id, lane);
    }
    return lane;
  };
  for (const run of runs) {
    if (!run.started_at) continue;
    const lane = laneOf(run.session_id, run.agent_id);
    lane.bars.push(barOf(run));
    lane.isRunning ||= run.status === 'running';
  }
  for (const [session_id, { agent_id, since }] of waiting) {
    laneOf(session_id, agent_id).waitsSince = since;
  }
  for (const lane of lanes.values()) {
    lane.bars.sort((a, b) => a.from - b.from);
    // It waited for the session to be free, too; that time shows a bar already.
    let before = 0;
    for (const bar of lane.bars) {
      bar.waited = Math.min(Math.max(bar.waited, before), bar.from);
      before = bar.to;
    }
  }
  return [...lanes.values()];
}

export function isIn(window: Window, lane: Lane) {
  if (lane.waitsSince !== undefined && lane.waitsSince < window.to) return true;
  return lane.bars.some((bar) => bar.to >= window.from && bar.waited <= window.to);
}

// Around the time at `share` of the window, which stays where it is.
export function zoomed(window: Window, by: number, share: number): Window {
  const span = window.to - window.from;
  const next = Math.max(span_least, Math.min(span_most, span * by));
  const fixed = window.from + span * share;
  return { from: fixed - next * share, to: fixed + next * (1 - share) };
}

export function moved(window: Window, ms: number): Window {
  return { from: window.from + ms, to: window.to + ms };
}

const steps = [
  1_000, 5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 3 * 3_600_000, 6 * 3_600_000,
  86_400_000, 2 * 86_400_000,
];

// Where the axis has lines: at round times of the place, not of UTC, at most `most` of them.
export function ticksOf(window: Window, most: number): { step: number; at: number[] } {
  const span = window.to - window.from;
  const step = steps.find((one) => span / one <= most) ?? 7 * 86_400_000;
  const shift = new Date(window.from).getTimezoneOffset() * 60_000;
  const at: number[] = [];
  const first = Math.ceil((window.from - shift) / step) * step + shift;
  for (let time = first; time <= window.to; time += step) at.push(time);
  return { step, at };
}

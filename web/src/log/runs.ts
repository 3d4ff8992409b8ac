// What can be said about a run from what the log tells of it.

import type { Agent, Run } from '../api/shapes.ts';
import type { LiveRun } from './subjects.ts';

// Its status as people see it: under way, or what came of it. One that did what it should and left
// whoever asked without an answer has not done what was wanted.
export function statusOfRun(run: LiveRun) {
  const verdict = run.verdict || 'done';
  const isGood = verdict === 'done' || verdict === 'hindered';
  if (run.status !== 'running') return isGood && run.answered === false ? 'unanswered' : verdict;
  return run.stop_asked ? 'stopping' : 'running';
}

// Whether it works comes first, then what keeps it from that; last whether it listens by itself: an
// agent that a worker here serves never does.
export function statusOfAgent(agent: Agent, isRunning: boolean) {
  if (isRunning) return 'running';
  if (agent.state && agent.state !== 'working' && agent.state !== 'idle') return agent.state;
  return agent.online ? 'online' : 'idle';
}

export function isUnanswered(run: LiveRun) {
  return statusOfRun(run) === 'unanswered';
}

export function newestFirst(a: Run, b: Run) {
  return a.started_at < b.started_at ? 1 : a.started_at > b.started_at ? -1 : 0;
}

const digits = '0123456789abcdefghjkmnpqrstvwxyz';

// Ids of the hub begin with the time they were made at: 10 digits to the base of 32.
export function madeAt(id: string): number | undefined {
  const text = id.slice(id.indexOf('_') + 1).slice(0, 10);
  if (text.length < 10) return undefined;
  let ms = 0;
  for (const digit of text) {
    const value = digits.indexOf(digit);
    if (value < 0) return undefined;
    ms = ms * 32 + value;
  }
  return ms;
}

// Since when something waited for this run.
export function waitedSince(run: Run): number | undefined {
  const times = run.items.map(madeAt).filter((time) => time !== undefined);
  return times.length > 0 ? Math.min(...times) : undefined;
}

import { expect, test } from 'vitest';

import type { Agent } from '../api/shapes.ts';
import { statusOfAgent, statusOfRun } from './runs.ts';
import type { LiveRun } from './subjects.ts';

const ended = (body: Partial<LiveRun>) => ({ status: 'ended', ...body }) as LiveRun;

test.each([
  [{ verdict: 'done', answered: true }, 'done'],
  [{ verdict: 'done' }, 'done'],
  [{ verdict: 'done', answered: false }, 'unanswered'],
  [{ verdict: 'hindered', answered: false }, 'unanswered'],
  [{ verdict: 'hindered', answered: true }, 'hindered'],
  [{ verdict: 'failed', answered: false }, 'failed'],
  [{ verdict: 'stopped', answered: false }, 'stopped'],
])('a run that ended with %o is %s', (body, status) => {
  expect(statusOfRun(ended(body))).toBe(status);
});

test.each([
  [{ state: 'unserved', online: false }, false, 'unserved'],
  [{ state: 'unserved', online: false }, true, 'running'],
  [{ state: 'over_budget', online: true }, false, 'over_budget'],
  [{ state: 'waiting', online: true }, false, 'waiting'],
  [{ state: 'idle', online: true }, false, 'online'],
  [{ online: false }, false, 'idle'],
])('an agent with %o, running: %s, is %s', (agent, isRunning, status) => {
  expect(statusOfAgent(agent as Agent, isRunning)).toBe(status);
});

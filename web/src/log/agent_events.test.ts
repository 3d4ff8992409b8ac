import { expect, test } from 'vitest';

import type { Agent } from '../api/shapes.ts';
import { fold, take } from './fold.ts';
import { statusOfAgent } from './runs.ts';
import { Store } from './store.ts';
import { event } from './told.ts';

// A store that knows one agent, and what of it is to be read.
function knowing(agent: Partial<Agent>) {
  const store = new Store();
  take(store, 'agent', { id: 'ag_1', name: 'demo', ...agent } as Agent);
  return store;
}

const ran = (type: string, verdict = 'done') =>
  event(type, 'shift/ss_1/r1', { run: 'r1', session_id: 'ss_1', agent_id: 'ag_1', verdict });

const counted = (body: object = {}) =>
  event('tally_counted', 'tally/2026-11-16/ag_1/ss_2', { agent_id: 'ag_1', runs: 1, ...body });

const state = (store: Store) => store.get('agent', 'ag_1')?.state;

test('how an agent that was just made is doing is read: its event does not tell', () => {
  const store = new Store();
  fold(store, event('agent_created', 'agent/ag_1', { name: 'demo' }));
  expect(store.get('agent', 'ag_1')?.name).toBe('demo');
  expect(store.takeWanted('agent')).toEqual(['ag_1']);
});

test.each(['agent_updated', 'agent_online', 'agent_offline'])(
  'how an agent is doing is read again after %s',
  (type) => {
    const store = knowing({ state: 'working' });
    fold(store, event(type, 'agent/ag_1'));
    expect(store.takeWanted('agent')).toEqual(['ag_1']);
  },
);

test('an agent that was deleted, or never read, is not asked for', () => {
  const store = knowing({ state: 'idle' });
  fold(store, event('agent_deleted', 'agent/ag_1'));
  fold(store, event('agent_offline', 'agent/ag_2'));
  expect(store.takeWanted('agent')).toEqual([]);
});

test.each(['unserved', 'no_credentials', 'over_budget', 'waiting'])(
  'a run that begins clears %s, and its end has the hub say how the agent is',
  (hindrance) => {
    const store = knowing({ state: hindrance, state_why: 'x' });
    fold(store, ran('run_started'));
    expect(statusOfAgent(store.get('agent', 'ag_1')!, false)).toBe('idle');
    expect(store.get('agent', 'ag_1')?.state_why).toBe('');
    expect(store.takeWanted('agent')).toEqual([]);
    fold(store, ran('run_finished'));
    expect(store.takeWanted('agent')).toEqual(['ag_1']);
  },
);

test('an agent that no worker starts does so still while a run of it goes on', () => {
  const store = knowing({ state: 'on_its_own' });
  fold(store, ran('run_started'));
  expect(state(store)).toBe('on_its_own');
});

test('how an agent is doing that was read while it worked is read when it rests', () => {
  const store = knowing({ state: 'working' });
  fold(store, ran('run_finished'));
  expect(store.takeWanted('agent')).toEqual(['ag_1']);
});

test('an agent is read again when a session of it waits for its service, and goes on', () => {
  const store = knowing({ state: 'idle' });
  const updated = (body: object) =>
    event('session_updated', 'session/ss_1', { agent_id: 'ag_1', ...body });
  for (const not_before of ['2026-11-15T12:00:00Z', null]) {
    fold(store, updated({ not_before }));
    expect(store.takeWanted('agent')).toEqual(['ag_1']);
  }
  fold(store, updated({ followed_posts: [] }));
  expect(store.takeWanted('agent')).toEqual([]);
});

test('a login that was refused is read; a run that did what it should is no reason to ask', () => {
  const store = knowing({ state: 'idle' });
  for (const one of [ran('run_started'), ran('run_finished'), counted()]) fold(store, one);
  expect(store.takeWanted('agent')).toEqual([]);
  fold(store, ran('run_finished', 'credentials'));
  expect(store.takeWanted('agent')).toEqual(['ag_1']);
});

test('whether a budget is used up is the hub to say, whichever session it was told', () => {
  const store = knowing({ state: 'idle' });
  fold(store, counted({ told: 'session_runs_per_day 2' }));
  expect(state(store)).toBe('idle');
  expect(store.takeWanted('agent')).toEqual(['ag_1']);
  const limited = knowing({ state: 'idle', cents_per_day: 100 });
  fold(limited, counted());
  expect(limited.takeWanted('agent')).toEqual(['ag_1']);
});

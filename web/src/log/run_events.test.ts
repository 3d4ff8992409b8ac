import { expect, test } from 'vitest';

import type { Agent, Event, Run, Session } from '../api/shapes.ts';
import { fold, take } from './fold.ts';
import { leaveRun, tellRun, withEvent } from './run_events.ts';
import { Store } from './store.ts';
import { output_chars_max } from './subjects.ts';
import type { LiveRun } from './subjects.ts';
import { event } from './told.ts';

const session = { id: 'ss_1', agent_id: 'ag_1', name: 'default', status: 'idle' } as Session;

function of(id: string, type: string, body: object = {}): Event {
  const run = { run: id, session_id: 'ss_1', agent_id: 'ag_1' };
  return event(type, `shift/ss_1/${id}`, { ...run, ...body });
}

const started = (id: string) => of(id, 'run_started', { started_at: '2026-11-16T01:00:00Z' });
const says = (id: string, output: string) => of(id, 'run_output', { output });
const ended = (id: string, verdict = 'done') => of(id, 'run_finished', { verdict, output: null });

// A store with the session, and these runs shown by somebody.
function showing(...runs: string[]) {
  const store = new Store();
  take(store, 'session', session);
  for (const run of runs) store.open.set(run, 1);
  return store;
}

const row = (id: string, status: string) =>
  ({ id, run: id, session_id: 'ss_1', agent_id: 'ag_1', status }) as unknown as Run;

const storyOf = (...events: Event[]) => events.reduce(withEvent, undefined as never) as LiveRun;
const saidBy = (store: Store, id: string) => store.get('shift', id)?.outputs?.map((one) => one.text);
const statusOf = (store: Store) => store.get('session', 'ss_1')?.status;

test('a session runs while its run does, and a run that is shown keeps what it said', () => {
  const store = showing('r1');
  fold(store, started('r1'));
  expect(statusOf(store)).toBe('running');
  const said = says('r1', 'one');
  fold(store, said);
  fold(store, said);
  fold(store, ended('r1'));
  expect(statusOf(store)).toBe('idle');
  expect(store.get('shift', 'r1')).toMatchObject({ status: 'ended', verdict: 'done' });
  expect(saidBy(store, 'r1')).toEqual(['one']);
});

test('what a run said stands in the order of the log, whichever was heard first', () => {
  const store = showing('r1');
  fold(store, started('r1'));
  const [one, two, three] = ['one', 'two', 'three'].map((text) => says('r1', text));
  for (const heard of [three!, one!, two!, three!]) fold(store, heard);
  expect(saidBy(store, 'r1')).toEqual(['one', 'two', 'three']);
  expect(store.get('shift', 'r1')?.output).toBe('three');
});

test('of a run that nobody shows the newest words are kept, while it runs', () => {
  const store = showing();
  for (const heard of [started('r1'), says('r1', 'one'), says('r1', 'two')]) fold(store, heard);
  expect(saidBy(store, 'r1')).toEqual(['two']);
  fold(store, ended('r1'));
  expect(saidBy(store, 'r1')).toBeUndefined();
});

test('who leaves a run leaves its newest words there', () => {
  const store = showing('r1');
  for (const heard of [started('r1'), says('r1', 'one'), says('r1', 'two')]) fold(store, heard);
  store.open.delete('r1');
  leaveRun(store, 'r1');
  expect(saidBy(store, 'r1')).toEqual(['two']);
});

test('of very much that a run said the newest is kept, and how much went is known', () => {
  const store = showing('r1');
  fold(store, started('r1'));
  const much = '가'.repeat(output_chars_max / 4);
  const told = [1, 2, 3, 4, 5, 6].map(() => says('r1', much));
  for (const heard of [...told, ...told]) fold(store, heard);
  const run = store.get('shift', 'r1');
  expect(run?.outputs).toHaveLength(4);
  expect(run?.left_out).toBe(2 * 3 * much.length);
  tellRun(store, storyOf(started('r1'), ...told));
  expect(store.get('shift', 'r1')?.left_out).toBe(2 * 3 * much.length);
});

test('of a run that was never read a word makes no half of it, and no idle session', () => {
  const store = showing();
  take(store, 'session', { ...session, status: 'running' });
  fold(store, says('r1', 'one'));
  expect(store.list('shift')).toEqual([]);
  expect(statusOf(store)).toBe('running');
  fold(store, ended('r1'));
  expect(statusOf(store)).toBe('idle');
});

test('a session of which a row says that a run of it runs is running', () => {
  const store = showing();
  // Its end was heard before what runs now was read.
  fold(store, ended('r1'));
  take(store, 'shift', row('r2', 'running'));
  expect(statusOf(store)).toBe('running');
});

test('a session that says itself that it runs does so though a row tells of a run that has ended', () => {
  const store = showing();
  take(store, 'session', { ...session, status: 'running' });
  take(store, 'shift', row('r1', 'ended'));
  expect(statusOf(store)).toBe('running');
});

test('the end of an earlier run leaves a session running that runs again', () => {
  const store = showing();
  fold(store, started('r1'));
  const old = ended('r1');
  fold(store, started('r2'));
  fold(store, old);
  expect(statusOf(store)).toBe('running');
});

test('what is heard late of a run that has ended does not let it run again', () => {
  const store = showing('r1');
  const late = [of('r1', 'run_started', { host: 'vm' }), says('r1', 'one')];
  take(store, 'shift', { ...row('r1', 'ended'), verdict: 'done' });
  for (const heard of late) fold(store, heard);
  expect(store.get('shift', 'r1')).toMatchObject({ status: 'ended', verdict: 'done', host: 'vm' });
  expect(statusOf(store)).toBe('idle');
});

test('the story of a run tells all of it, and what came since stands behind it', () => {
  const store = showing('r1');
  take(store, 'shift', row('r1', 'running'));
  const told = [started('r1'), says('r1', 'one'), says('r1', 'two')];
  const newer = says('r1', 'three');
  fold(store, told[2]!);
  fold(store, newer);
  tellRun(store, storyOf(...told));
  expect(saidBy(store, 'r1')).toEqual(['one', 'two', 'three']);
  expect(statusOf(store)).toBe('running');
});

test('the story of a run whose end was heard meanwhile does not let it run again', () => {
  const store = showing('r1');
  const told = [started('r1'), says('r1', 'one')];
  take(store, 'shift', row('r1', 'running'));
  fold(store, ended('r1', 'failed'));
  tellRun(store, storyOf(...told));
  expect(store.get('shift', 'r1')).toMatchObject({ status: 'ended', verdict: 'failed' });
  expect(saidBy(store, 'r1')).toEqual(['one']);
  expect(statusOf(store)).toBe('idle');
});

test.each(['no_credentials', 'idle'])('an old run says nothing of an agent that is %s now', (state) => {
  const store = showing('r1', 'r2');
  take(store, 'agent', { id: 'ag_1', state, state_why: 'x' } as Agent);
  take(store, 'session', { ...session, status: 'running' });
  for (const [id, verdict] of [['r1', 'credentials'], ['r2', 'done']] as const) {
    tellRun(store, storyOf(started(id), ended(id, verdict)));
  }
  expect(store.get('agent', 'ag_1')).toMatchObject({ state, state_why: 'x' });
  expect(store.takeWanted('agent')).toEqual([]);
  expect(statusOf(store)).toBe('running');
});

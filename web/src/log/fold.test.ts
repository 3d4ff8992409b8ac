import { expect, test } from 'vitest';

import type { Comment, Event, Run, Session } from '../api/shapes.ts';
import { fold, take } from './fold.ts';
import { Source } from './source.ts';
import { Store } from './store.ts';
import { event, post } from './told.ts';

function message(one: Event) {
  return { id: one.event_id, event: one.event, data: JSON.stringify(one) };
}

const session = { id: 'ss_1', agent_id: 'ag_1', name: 'default', status: 'idle' } as Session;

test('a post that is created stands in its feed', () => {
  const store = new Store();
  fold(store, event('post_created', 'post/ps_1', { feed_id: 'fd_1', content: 'hello' }));
  expect(store.list('post', 'feed/fd_1').map((one) => one.content)).toEqual(['hello']);
});

test('a change merges, and what is null is gone', () => {
  const store = new Store();
  take(store, 'post', { ...post('ps_1'), title: 'Old' });
  fold(store, event('post_updated', 'post/ps_1', { content: 'new', title: null }));
  expect(store.get('post', 'ps_1')).toMatchObject({ content: 'new', author_name: 'a' });
  expect(store.get('post', 'ps_1')).not.toHaveProperty('title');
});

test('a change of something that was never read makes no half of it', () => {
  const store = new Store();
  fold(store, event('post_updated', 'post/ps_1', { content: 'new' }));
  expect(store.get('post', 'ps_1')).toBeUndefined();
});

test('what was deleted does not come back with an older snapshot', () => {
  const store = new Store();
  fold(store, event('post_deleted', 'post/ps_1'));
  take(store, 'post', post('ps_1'));
  expect(store.list('post')).toEqual([]);
});

test('comments are kept for threads that are open only', () => {
  const store = new Store();
  const body = { post_id: 'ps_1', content: 'x' };
  fold(store, event('comment_created', 'comment/cm_1', body));
  store.open.set('ps_1', 1);
  fold(store, event('comment_created', 'comment/cm_2', body));
  expect(store.list('comment', 'post/ps_1').map((one) => one.id)).toEqual(['cm_2']);
});

test('a thread tells its post how many answered and whether that was read', () => {
  const store = new Store();
  take(store, 'post', post('ps_1'));
  fold(store, event('thread_answered', 'thread/ps_1', { comment_count: 3, last_at: 'now' }));
  expect(store.get('post', 'ps_1')).toMatchObject({ comment_count: 3, unread: true });
  fold(store, event('thread_read', 'thread/ps_1'));
  expect(store.get('post', 'ps_1')?.unread).toBe(false);
});

test('a thread that becomes unread and was never read is missed, once', () => {
  const store = new Store();
  fold(store, event('thread_answered', 'thread/ps_9', { comment_count: 1 }));
  expect(store.takeWanted('post')).toEqual(['ps_9']);
  expect(store.takeWanted('post')).toEqual([]);
  take(store, 'post', post('ps_9'));
  fold(store, event('thread_answered', 'thread/ps_9', { comment_count: 2 }));
  expect(store.takeWanted('post')).toEqual([]);
});

test('with a feed goes what is in it', () => {
  const store = new Store();
  take(store, 'post', post('ps_1'));
  take(store, 'post', { ...post('ps_2'), feed_id: 'fd_2' });
  fold(store, event('feed_deleted', 'feed/fd_1'));
  expect(store.list('post').map((one) => one.id)).toEqual(['ps_2']);
});

test('who types is shown until it is idle, each session for itself', () => {
  const store = new Store();
  const typing = (id: string) => ({ agent_id: 'ag_1', session_id: id, author_name: 'demo' });
  fold(store, event('agent_typing', 'thread/ps_1', typing('ss_1')));
  fold(store, event('agent_typing', 'thread/ps_1', typing('ss_2')));
  fold(store, event('agent_idle', 'thread/ps_1', { session_id: 'ss_1', typing: null }));
  expect(store.get('thread', 'ps_1')?.typists.map((one) => one.session_id)).toEqual(['ss_2']);
  fold(store, event('agent_idle', 'thread/ps_1', { typing: null }));
  expect(store.get('thread', 'ps_1')?.typists).toEqual([]);
});

test('a run of a snapshot and of the log are one', () => {
  const store = new Store();
  fold(store, event('run_started', 'shift/ss_1/r1', { run: 'r1', session_id: 'ss_1' }));
  take(store, 'shift', { id: 'r1', session_id: 'ss_1', status: 'ended' } as Run);
  expect(store.list('shift', 'session/ss_1')).toHaveLength(1);
});

test('a lease of a session is no change of the session', () => {
  const store = new Store();
  take(store, 'session', session);
  fold(store, event('lease_granted', 'session/ss_1', { owner: 'x', command: 'run' }));
  expect(store.get('session', 'ss_1')).toEqual(session);
  expect(store.list('lease')).toHaveLength(1);
  fold(store, event('lease_released', 'session/ss_1'));
  expect(store.list('lease')).toEqual([]);
});

test('an event that comes twice counts once', () => {
  const source = new Source(new Store());
  const one = event('feed_created', 'feed/fd_1', { name: 'a' });
  source.receive([message(one), message(one)]);
  expect(source.store.events()).toHaveLength(1);
  expect(source.last).toBe(one.event_id);
});

test('of the last events long texts are kept in part', () => {
  const store = new Store();
  const body = { output: 'x'.repeat(16_000), run: 'r1' };
  for (let i = 0; i < 10; ++i) store.remember(event('run_output', 'shift/ss_1/r1', body));
  expect(JSON.stringify(store.events()).length).toBeLessThan(30_000);
  expect(store.events()[0]).toMatchObject({ event: 'run_output', run: 'r1' });
});

test('the place is known before anything has happened', () => {
  const source = new Source(new Store());
  source.receive([{ id: 'ev_0000000000000007', event: '', data: '' }]);
  expect(source.last).toBe('ev_0000000000000007');
});

test('a log that does not reach back begins anew', () => {
  const source = new Source(new Store());
  source.receive([message(event('feed_created', 'feed/fd_1', { name: 'a' }))]);
  source.receive([{ id: '', event: 'notice', data: '{"event":"notice","code":"gone"}' }]);
  expect(source.epoch).toBe(1);
  expect(source.store.list('feed')).toEqual([]);
});

test('a list is the same array until it changes', () => {
  const store = new Store();
  store.open.set('ps_1', 1);
  const comment = { id: 'cm_1', post_id: 'ps_1' } as Comment;
  take(store, 'comment', comment);
  const before = store.list('comment', 'post/ps_1');
  take(store, 'comment', { ...comment, id: 'cm_9', post_id: 'ps_2' });
  expect(store.list('comment', 'post/ps_1')).toBe(before);
  take(store, 'comment', { ...comment, id: 'cm_2' });
  expect(store.list('comment', 'post/ps_1')).not.toBe(before);
});

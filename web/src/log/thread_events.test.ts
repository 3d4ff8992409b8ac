import { expect, test } from 'vitest';

import { fold, take } from './fold.ts';
import { Store } from './store.ts';
import { tellNotice } from './thread_events.ts';
import { event, post } from './told.ts';

const trouble = 'the run failed: no such model';

function troubled() {
  return event('notice', 'thread/ps_1', { trouble, notice: { text: trouble, unread: true } });
}

function said(store: Store) {
  return store.get('thread', 'ps_1')?.notices.map((one) => one.text);
}

test('a thread that waits in vain is unread and says why, until it is read', () => {
  const store = new Store();
  take(store, 'post', post('ps_1'));
  fold(store, troubled());
  expect(store.get('post', 'ps_1')).toMatchObject({ unread: true, trouble });
  fold(store, event('thread_read', 'thread/ps_1'));
  expect(store.get('post', 'ps_1')).toMatchObject({ unread: false, trouble: null });
  fold(store, event('notice', 'thread/ps_1', { notice: { text: 'done, but Bash was denied' } }));
  expect(store.get('post', 'ps_1')?.unread).toBe(false);
});

test('a remark of the past is shown, and makes nothing unread again', () => {
  const store = new Store();
  const read = { ...post('ps_1'), unread: false, trouble: null, comment_count: 3 };
  take(store, 'post', read);
  tellNotice(store, troubled());
  expect(said(store)).toEqual([trouble]);
  expect(store.get('post', 'ps_1')).toEqual(read);
});

test('a remark of the past in a thread that was never read asks for nothing', () => {
  const store = new Store();
  tellNotice(store, troubled());
  expect(store.takeWanted('post')).toEqual([]);
});

test('remarks stand in the order of the log, each once, whichever was heard first', () => {
  const store = new Store();
  const remark = (text: string) => event('notice', 'thread/ps_1', { notice: { text } });
  const [one, two, three] = [remark('one'), remark('two'), remark('three')];
  fold(store, three);
  for (const told of [one, two, three]) tellNotice(store, told);
  expect(said(store)).toEqual(['one', 'two', 'three']);
});

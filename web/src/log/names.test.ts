import { expect, test } from 'vitest';

import type { Agent, Feed, Session } from '../api/shapes.ts';
import { take } from './fold.ts';
import { namedKey } from './names.ts';
import { Store } from './store.ts';

const id = (kind: string) => `${kind}_01m7r7cyfw000000076xxjfw7k`;

function known() {
  const store = new Store();
  take(store, 'agent', { id: id('ag'), name: 'demo' } as Agent);
  const session = { id: id('ss'), agent_id: id('ag'), name: 'deploy', is_default: false };
  take(store, 'session', session as Session);
  take(store, 'feed', { id: id('fd'), name: 'general' } as Feed);
  return store;
}

test.each([
  [`agent/${id('ag')}`, 'agent/demo'],
  [`session/${id('ss')}`, 'session/demo/deploy'],
  [`shift/${id('ss')}/0198f3a2-77aa-7b21-a001-d3b9d3c8e7f1`, 'run/demo/deploy/019…9d3c8e7f1'],
  [`item/${id('ss')}/${id('cm')}`, 'item/demo/deploy/cm_…76xxjfw7k'],
  [`feed/${id('fd')}`, 'feed/general'],
  [`post/${id('ps')}`, 'post/ps_…76xxjfw7k'],
  ['human/admin', 'human/admin'],
  [`lock/${id('ss')}`, `lock/${id('ss')}`],
])('%s is shown as %s', (key, words) => {
  expect(namedKey(known(), key)).toBe(words);
});

test('what is not known keeps its id, shortened', () => {
  expect(namedKey(new Store(), `session/${id('ss')}`)).toBe('session/ss_…76xxjfw7k');
});

import { expect, test } from 'vitest';

import type { Agent, Session } from '../api/shapes.ts';
import { mentionAt, offersFor, slashAfter, taking } from './mention.ts';

const agents = ['demo', 'demo-two', 'reviewer', '번역기'].map(
  (name) => ({ id: `ag_${name}`, name, type: 'demo' }) as Agent,
);
const sessions = [
  { name: 'deploy', status: 'running', is_default: false },
  { name: 'default', status: 'idle', is_default: true },
] as Session[];

function offered(text: string) {
  const asked = mentionAt(text, text.length);
  if (!asked) return [];
  return offersFor(asked, agents, () => sessions).map((one) => `${one.kind} ${one.name}`);
}

test('an @ offers the agents, those that begin so first', () => {
  expect(offered('@')).toEqual(['agent demo', 'agent demo-two', 'agent reviewer', 'agent 번역기']);
  expect(offered('ask @DEM')).toEqual(['agent demo', 'agent demo-two']);
  expect(offered('@two')).toEqual(['agent demo-two']);
  expect(offered('@번')).toEqual(['agent 번역기']);
});

test('behind the slash are its sessions, the default one first, then a new one', () => {
  expect(offered('@demo/')).toEqual(['session default', 'session deploy']);
  expect(offered('@demo/de')).toEqual(['session default', 'session deploy', 'create de']);
  expect(offered('@demo/Deploy')).toEqual(['session deploy']);
  expect(offered('@demo/리팩토링')).toEqual(['create 리팩토링']);
});

test('what cannot be a name of a session is not offered', () => {
  expect(offered('@demo/a b')).toEqual([]);
  expect(offered(`@demo/${'x'.repeat(21)}`)).toEqual([]);
  expect(offered('@nobody/x')).toEqual([]);
});

test.each(['me@demo', 'a `@de', '```\n@de', '@de\n', 'no'])('%j is no mention', (text) => {
  expect(offered(text)).toEqual([]);
});

test('taking an offer writes it, once, with a space', () => {
  const text = 'ask @de now';
  const asked = mentionAt(text, 7)!;
  const offer = offersFor(asked, agents, () => sessions)[0]!;
  expect(taking(text, 7, asked, offer, ' ')).toEqual({ text: 'ask @demo now', caret: 9 });
  expect(taking('@de', 3, mentionAt('@de', 3)!, offer, ' ')).toEqual({ text: '@demo ', caret: 6 });
  expect(taking('@de', 3, mentionAt('@de', 3)!, offer, '/').text).toBe('@demo/');
});

test('a slash after a mention that was taken goes to its session', () => {
  expect(slashAfter('hi @demo ', 9, agents)).toEqual({ text: 'hi @demo/', caret: 9 });
  expect(slashAfter('either ', 7, agents)).toBeUndefined();
});

import { expect, test } from 'vitest';

import { Splitter } from './stream.ts';

test('messages are cut wherever the network cuts them', () => {
  const text =
    'id: ev_1\nevent: a\ndata: {"x":1}\n\n: beat\n\nid: ev_2\r\ndata: one\r\ndata: two\r\n\r\n';
  for (let at = 0; at <= text.length; ++at) {
    const splitter = new Splitter();
    const found = [...splitter.push(text.slice(0, at)), ...splitter.push(text.slice(at))];
    expect(found).toEqual([
      { id: 'ev_1', event: 'a', data: '{"x":1}' },
      { id: 'ev_2', event: '', data: 'one\ntwo' },
    ]);
  }
});

test('a place without an event is told', () => {
  expect(new Splitter().push('id: ev_5\nretry: 1000\n: welcome\n\n')).toEqual([
    { id: 'ev_5', event: '', data: '' },
  ]);
});

import { expect, test } from 'vitest';

import { Drafts } from './draft.ts';
import { markFor, replaceMark } from './uploads.ts';

// As a tab keeps it, with room for `most` texts.
function storage(most = 10) {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => {
      if (kept.size >= most) throw new Error('no room');
      kept.set(key, text);
    },
    removeItem: (key: string) => void kept.delete(key),
  };
}

test('a draft is there for whoever comes to its place, also after a reload', () => {
  const kept = storage();
  new Drafts(() => kept).write('post fd_1', 'hello');
  const drafts = new Drafts(() => kept);
  expect(drafts.text('post fd_1')).toBe('hello');
  drafts.write('post fd_1', undefined);
  expect(new Drafts(() => kept).text('post fd_1')).toBeUndefined();
});

test('where there is no room a draft is kept until the page is left', () => {
  const drafts = new Drafts(() => storage(0));
  drafts.write('post fd_1', 'hello');
  expect(drafts.text('post fd_1')).toBe('hello');
});

test('a file that arrives stands in the text as it is by then, whoever wrote on', () => {
  const drafts = new Drafts(() => storage());
  const heard: (string | undefined)[] = [];
  const mark = markFor(new File(['x'], 'a'), 'a');
  drafts.write('post fd_1', mark.text);
  drafts.count('post fd_1', 1);
  // Somebody else shows the place now, and writes there.
  const end = drafts.subscribe('post fd_1', () => heard.push(drafts.text('post fd_1')));
  drafts.write('post fd_1', `newer ${mark.text}`);
  expect(drafts.isSending('post fd_1')).toBe(true);
  const now = { text: drafts.text('post fd_1')!, caret: 0 };
  drafts.write('post fd_1', replaceMark(now, mark, '[a](b)').text);
  drafts.count('post fd_1', -1);
  end();
  expect(drafts.isSending('post fd_1')).toBe(false);
  expect(heard.at(-1)).toBe('newer [a](b)');
});

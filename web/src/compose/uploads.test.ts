import { expect, test } from 'vitest';

import { insertMarks, markFor, replaceMark } from './uploads.ts';

const file = (name: string) => markFor(new File(['x'], name), name);

test('files stand on lines of their own', () => {
  const [a, b] = [file('a'), file('b')];
  expect(insertMarks('', 0, [a, b])).toBe(`${a.text}\n${b.text}\n`);
  expect(insertMarks('one two', 3, [a])).toBe(`one two\n${a.text}\n`);
  expect(insertMarks('one\ntwo', 1, [a])).toBe(`one\n${a.text}\ntwo`);
});

test('a link takes the place of its mark, and the caret stays with its letters', () => {
  const mark = file('a');
  const text = `x ${mark.text} y`;
  const link = '[a](/api/uploads/up_1/a)';
  expect(replaceMark({ text, caret: text.length }, mark, link)).toEqual({
    text: `x ${link} y`,
    caret: `x ${link} y`.length,
  });
  expect(replaceMark({ text, caret: 1 }, mark, link).caret).toBe(1);
  expect(replaceMark({ text, caret: 4 }, mark, '')).toEqual({ text: 'x  y', caret: 2 });
});

test('a mark that was deleted meanwhile does not lose its file', () => {
  expect(replaceMark({ text: 'x', caret: 1 }, file('a'), '[a](b)').text).toBe('x\n[a](b)');
});

import { expect, test } from 'vitest';

import { blocksOf } from './output.ts';

test('tool calls in a row are one block, words another', () => {
  const said = [
    { text: 'Looking.\n> Bash ninja -C build\n> Read a.cc\n' },
    { text: '> Grep main\nIt was\n\n`a.cc`.\n' },
  ];
  expect(blocksOf(said)).toEqual([
    { is: 'words', text: 'Looking.' },
    {
      is: 'tools',
      calls: [
        { tool: 'Bash', about: 'ninja -C build' },
        { tool: 'Read', about: 'a.cc' },
        { tool: 'Grep', about: 'main' },
      ],
    },
    { is: 'words', text: 'It was\n\n`a.cc`.' },
  ]);
});

test('a failure belongs to its call, other trouble stands alone', () => {
  const said = [{ text: '> Bash a\n> Read b\n! Bash failed: exit code 2\n! the model is busy\n' }];
  expect(blocksOf(said)).toEqual([
    {
      is: 'tools',
      calls: [
        { tool: 'Bash', about: 'a', failure: 'exit code 2' },
        { tool: 'Read', about: 'b' },
      ],
    },
    { is: 'trouble', text: 'the model is busy' },
  ]);
});

test('what was left out stands where it was', () => {
  const said = [
    { text: 'one\n' },
    { text: '! 2941000 bytes of what it said are left out here\ntwo\n' },
    { text: '! what it says from here on is not told here\n' },
  ];
  expect(blocksOf(said)).toEqual([
    { is: 'words', text: 'one' },
    { is: 'gap', bytes: 2_941_000 },
    { is: 'words', text: 'two' },
    { is: 'silence' },
  ]);
});

test('what was said before all that is kept is said to be left out', () => {
  expect(blocksOf([{ text: 'two\n' }], 8_192)).toEqual([
    { is: 'gap', bytes: 8_192 },
    { is: 'words', text: 'two' },
  ]);
});

test('nothing is nothing', () => {
  expect(blocksOf([])).toEqual([]);
  expect(blocksOf([{ text: '\n' }])).toEqual([]);
});

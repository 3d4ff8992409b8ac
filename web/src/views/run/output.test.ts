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

test('nothing is nothing', () => {
  expect(blocksOf([])).toEqual([]);
  expect(blocksOf([{ text: '\n' }])).toEqual([]);
});

import { expect, test } from 'vitest';

import { safeImage, safeLink } from './link.ts';
import { splitMentions } from './mention.ts';
import { parse, short_chars, short_lines, shortened } from './parse.ts';
import { straight } from './straight.ts';

test.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:http://a/b',
  'https://bank.example@evil.example/',
  'relative/path',
  'http://',
  '/api/keys',
  '/api/uploads/../keys',
  '/%61pi/keys',
  // They name no host, and a browser that reads what they come to goes to one.
  '/.//evil.example',
  '/x/..//evil.example',
  '/%2e//evil.example/a?b#c',
  '/.\\/evil.example',
  '/.\t//evil.example',
  '/./\\evil.example',
])('%s is no link', (url) => {
  expect(safeLink(url)).toBeUndefined();
});

test.each([
  ['https://example.com/a?b#c', 'out'],
  ['http://example.com', 'out'],
  ['mailto:me@example.com', 'out'],
  ['//evil.example/x', 'out'],
  ['/posts/ps_1#cm_2', 'page'],
  ['/api/uploads/up_1/a%20b.txt', 'file'],
])('%s leads %s', (url, kind) => {
  expect(safeLink(url)?.kind).toBe(kind);
});

test.each([
  ['/posts/ps_1#cm_2', '/posts/ps_1#cm_2'],
  ['/posts/./ps_1?a=b', '/posts/ps_1?a=b'],
  ['/a//b', '/a//b'],
])('%s stays on this page, at %s', (url, to) => {
  expect(safeLink(url)).toEqual({ kind: 'page', url: to });
});

test('only pictures of this hub are fetched', () => {
  expect(safeImage('/api/uploads/up_1/a.png')).toBe('/api/uploads/up_1/a.png');
  expect(safeImage('https://evil.example/track.png')).toBeUndefined();
  expect(safeImage('data:image/png;base64,xx')).toBeUndefined();
});

test('mentions are found as the hub finds them', () => {
  const names = ['bot-two', 'bot', '리뷰어'];
  const found = (text: string) =>
    splitMentions(text, names)
      .filter((piece) => piece.agent)
      .map((piece) => piece.text);
  expect(found('@bot and @bot-two')).toEqual(['@bot', '@bot-two']);
  expect(found('@Bot/deploy, please')).toEqual(['@Bot/deploy']);
  expect(found('me@bot.example @bottle')).toEqual([]);
  expect(found('(@리뷰어)')).toEqual(['@리뷰어']);
});

test('pieces are the text, whole', () => {
  const text = 'a @bot b @@bot @bot/x@bot';
  const pieces = splitMentions(text, ['bot']);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
});

test('a long text is shown in part, a short one whole', () => {
  expect(shortened('short')).toEqual({ text: 'short', isShort: false });
  const long = shortened('😀'.repeat(short_chars));
  expect(long.isShort).toBe(true);
  expect(long.text).toMatch(/^(😀)+$/u);
  const lines = shortened('x\n'.repeat(500));
  expect(lines.text.split('\n')).toHaveLength(short_lines);
});

test('what turns a text around is shown, not obeyed', () => {
  expect(straight('\u202egnp.exe')).toBe('\ufffdgnp.exe');
  expect(straight('שלום \u2067abc\u2069')).toBe('שלום \u2067abc\u2069');
  expect(JSON.stringify(parse('a \u202e b [\u202ex](/posts/1)'))).not.toContain('\u202e');
});

// Each is as large as a text may be. None may take longer than a person waits.
test.each([
  ['quotes in one line', '>'.repeat(100_000)],
  ['quotes ever deeper', Array.from({ length: 400 }, (_, i) => '> '.repeat(i)).join('x\n')],
  ['lists ever deeper', Array.from({ length: 400 }, (_, i) => `${'  '.repeat(i)}- x`).join('\n')],
  ['lists in one line', '- '.repeat(50_000)],
  ['brackets', '['.repeat(100_000)],
  ['links in links', '[a]('.repeat(25_000)],
  ['pictures in pictures', '!['.repeat(50_000)],
  ['emphasis', '*a **b '.repeat(14_000)],
  ['underscores', '_a __b '.repeat(14_000)],
  ['backticks', Array.from({ length: 440 }, (_, i) => '`'.repeat(i)).join(' ')],
  ['tables', `${'|a'.repeat(300)}|\n${'|-'.repeat(300)}|\n${`${'|1'.repeat(300)}|\n`.repeat(150)}`],
  ['emoji', '😀'.repeat(25_000)],
  ['addresses', 'www.a.b '.repeat(12_500)],
  ['mail addresses', 'a@'.repeat(50_000)],
  ['angles', '<a '.repeat(33_000)],
  ['tildes', '~~a '.repeat(25_000)],
])('%s are read in time', (_, text) => {
  const before = performance.now();
  parse(text);
  expect(performance.now() - before).toBeLessThan(3_000);
});

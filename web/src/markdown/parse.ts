// Markdown to tokens, within bounds. Whatever was written, reading it takes a bounded time: texts
// come from strangers, and one of them must not freeze the page for all who look at it.
//
// Only marked's reader is used, never what makes HTML of it.

import { lexer } from 'marked';
import type { Token } from 'marked';

import { straight } from './straight.ts';

export const short_chars = 8_000;
export const short_lines = 120;
export const depth_max = 12;
const line_marks_max = 24;
const indent_max = 48;
const brackets_max = 2_000;
const texts_max = 600;

// The beginning of a long text, and whether it is one.
export function shortened(text: string): { text: string; isShort: boolean } {
  let end = Math.min(text.length, short_chars);
  let at = 0;
  for (let line = 0; line < short_lines; ++line) {
    const next = text.indexOf('\n', at);
    if (next < 0 || next >= end) break;
    at = next + 1;
    if (line === short_lines - 1) end = next;
  }
  if (end >= text.length) return { text, isShort: false };
  // Not in the middle of a character outside the basic plane.
  const code = text.charCodeAt(end - 1);
  if (code >= 0xd800 && code < 0xdc00) end -= 1;
  return { text: text.slice(0, end), isShort: true };
}

const marks = new RegExp(
  `^((?:[ \\t]*(?:>|[-*+](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))){${line_marks_max}})[>\\-*+ \\t]+`,
  'gm',
);
const indents = new RegExp(`^ {${indent_max}} +(?=[-*+>\\d])`, 'gm');

// Marks that would nest deeper than anything shown are dropped before they cost anything.
export function tamed(text: string): string {
  const shallow = text.replace(marks, '$1 ').replace(indents, ' '.repeat(indent_max));
  return straight(shallow);
}

// So many brackets are no links but an attempt on our time: then it is no Markdown at all.
function isPlain(text: string) {
  return (text.match(/\[/g)?.length ?? 0) > brackets_max;
}

function plain(text: string): Token[] {
  return text.split(/\n{2,}/).map((part) => ({
    type: 'paragraph',
    raw: part,
    tokens: [{ type: 'text', raw: part, text: part }],
  }));
}

const texts = new Map<string, Token[]>();

// A row that is scrolled away and back is not read again.
export function parse(text: string): Token[] {
  const known = texts.get(text);
  if (known) {
    texts.delete(text);
    texts.set(text, known);
    return known;
  }
  const tokens = isPlain(text)
    ? plain(straight(text))
    : lexer(tamed(text), { gfm: true, breaks: true });
  texts.set(text, tokens);
  if (texts.size > texts_max) texts.delete(texts.keys().next().value!);
  return tokens;
}

const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  copy: '©',
  rarr: '→',
  larr: '←',
};

// Tokens have entities as they were written: `&lt;` is `<` to who reads it.
export function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,8}));/g,
    (whole, dec, hex, name) => {
      if (name) return named[name as string] ?? whole;
      const code = dec ? Number(dec) : parseInt(hex as string, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

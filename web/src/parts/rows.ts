// j and k go through the rows of a list. In one of links, whatever has `data-row` gets the focus, so
// that Enter opens it by itself; in others a row is marked. Either way it is brought into view.

import { useEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';

import { useShortcuts } from '../keyboard.ts';

export function useRowKeys(
  list: RefObject<HTMLElement | null>,
  words: { next: string; previous: string },
) {
  const go = (by: 1 | -1) => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
    const at = rows.findIndex((row) => row === document.activeElement);
    const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by;
    rows[next]?.focus();
    rows[next]?.scrollIntoView({ block: 'nearest' });
  };
  useShortcuts([
    { keys: 'j', words: words.next, act: () => go(1) },
    { keys: 'k', words: words.previous, act: () => go(-1) },
  ]);
}

interface Marking {
  next: string;
  previous: string;
  // What `o` does with the row that is marked.
  open?: { words: string; act: (id: string) => void };
}

// The id of the row that is marked; empty: none. It stays with its row, whatever comes above it.
export function useMark(ids: readonly string[], words: Marking) {
  const [id, setId] = useState('');
  const at = ids.indexOf(id);
  const go = (by: 1 | -1) => {
    const next = at < 0 ? 0 : Math.max(0, Math.min(ids.length - 1, at + by));
    setId(ids[next] ?? '');
  };
  const { open } = words;
  useShortcuts([
    { keys: 'j', words: words.next, act: () => go(1) },
    { keys: 'k', words: words.previous, act: () => go(-1) },
    ...(open ? [{ keys: 'o', words: open.words, act: () => at >= 0 && open.act(id) }] : []),
  ]);
  return id;
}

// For a row that is brought into view when it is marked.
export function useInView<T extends HTMLElement>(marked: boolean) {
  const row = useRef<T>(null);
  useEffect(() => {
    if (marked) row.current?.scrollIntoView({ block: 'nearest' });
  }, [marked]);
  return row;
}

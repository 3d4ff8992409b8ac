// j and k go through the rows of a list: whatever in it has `data-row`. Enter opens a row by
// itself, because it is a link that has the focus.

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

// Keys of the page. Views say which they answer to and what for; the help shows what is said.

import { useEffect, useRef, useSyncExternalStore } from 'react';

export interface Shortcut {
  keys: string; // As `event.key` says it: j, k, /, ?; or `mod+k` for Ctrl and Cmd.
  words: string;
  act: () => void;
}

const registered = new Set<readonly Shortcut[]>();
const listeners = new Set<() => void>();
let all: Shortcut[] = [];

function refresh() {
  all = [...registered].flat();
  for (const listener of listeners) listener();
}

function isWriting(target: EventTarget | null) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function pressed(event: KeyboardEvent) {
  const mod = event.metaKey || event.ctrlKey;
  if (event.altKey || event.isComposing) return;
  if (!mod && isWriting(event.target)) return;
  // In a dialog its own keys count, and those that open another do not.
  if (!mod && document.querySelector('[role=dialog]')) return;
  const keys = (mod ? 'mod+' : '') + (event.key.length === 1 ? event.key.toLowerCase() : event.key);
  // The view that came last is asked first.
  const found = all.findLast((one) => one.keys === keys);
  if (!found) return;
  event.preventDefault();
  found.act();
}

if (typeof window !== 'undefined') window.addEventListener('keydown', pressed);

export function useShortcuts(shortcuts: readonly Shortcut[]) {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const names = shortcuts.map((one) => `${one.keys} ${one.words}`).join('\n');
  useEffect(() => {
    const mine = latest.current.map((one, i) => ({
      ...one,
      act: () => latest.current[i]?.act(),
    }));
    registered.add(mine);
    refresh();
    return () => {
      registered.delete(mine);
      refresh();
    };
  }, [names]);
}

export function useAllShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => all,
  );
}

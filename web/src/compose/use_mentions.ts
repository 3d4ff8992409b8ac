// The `@` menu of a text field: what it offers at the caret, and the keys that it takes.

import { useLayoutEffect, useRef, useState } from 'react';
import type { KeyboardEvent, RefObject } from 'react';

import { store } from '../log/hooks.ts';
import { useAgents } from '../log/snapshots.ts';
import { mentionAt, offersFor, slashAfter, taking } from './mention.ts';
import type { Edit, Offer } from './mention.ts';

export function useMentions(
  area: RefObject<HTMLTextAreaElement | null>,
  text: string,
  setText: (text: string) => void,
) {
  const { agents } = useAgents();
  const [caret, setCaret] = useState(-1);
  const [active, setActive] = useState(0);
  const [closed, setClosed] = useState(false);

  // Before the next key is read: who types on at once types on behind it.
  const moved = useRef(-1);
  useLayoutEffect(() => {
    if (moved.current < 0) return;
    area.current?.focus();
    area.current?.setSelectionRange(moved.current, moved.current);
    moved.current = -1;
  }, [area, text]);

  const asked = caret < 0 || closed ? undefined : mentionAt(text, caret);
  const sessionsOf = (agent: string) => store.list('session', `agent/${agent}`);
  const offers = asked ? offersFor(asked, agents, sessionsOf) : [];
  const chosen = Math.min(active, offers.length - 1);

  const apply = (edit: Edit) => {
    moved.current = edit.caret;
    setText(edit.text);
    setCaret(edit.caret);
    setActive(0);
  };
  const take = (offer: Offer, end = ' ') => {
    if (asked) apply(taking(text, caret, asked, offer, end));
  };

  // Whether the key was one for the menu.
  const menuKey = (key: string) => {
    const offer = offers[chosen];
    if (!offer) return false;
    if (key === 'ArrowDown') setActive((chosen + 1) % offers.length);
    else if (key === 'ArrowUp') setActive((chosen + offers.length - 1) % offers.length);
    else if (key === 'Enter' || key === 'Tab') take(offer);
    else if (key === 'Escape') setClosed(true);
    else if (key === '/' && offer.kind === 'agent' && asked?.agent) take(offer, '/');
    else return false;
    return true;
  };
  const keyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (menuKey(event.key)) return true;
    const edit =
      event.key === '/' ? slashAfter(text, event.currentTarget.selectionStart, agents) : undefined;
    if (edit) apply(edit);
    return edit !== undefined;
  };
  const typed = (at: number) => {
    setCaret(at);
    setClosed(false);
    setActive(0);
  };

  return { offers, chosen, take, keyDown, typed, setCaret };
}

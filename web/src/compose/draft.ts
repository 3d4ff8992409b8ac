// What was written and not sent, by place, for as long as the tab lives. A place is nobody's: who
// left it while a file was sent comes back to what the file has become there.

import { useCallback, useSyncExternalStore } from 'react';

type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export class Drafts {
  private texts = new Map<string, string>();
  private listeners = new Map<string, Set<() => void>>();
  private sending = new Map<string, number>();

  // `kept`: where texts outlive a reload.
  constructor(private readonly kept: () => Kept) {}

  text(place: string) {
    return this.texts.get(place) ?? this.kept().getItem(keyOf(place)) ?? undefined;
  }

  // At once and not once it is drawn: who has sent it may be on another page by then, and would
  // find it here again. Undefined: there is none.
  write(place: string, text: string | undefined) {
    if (text === undefined) this.texts.delete(place);
    else this.texts.set(place, text);
    try {
      if (text === undefined) this.kept().removeItem(keyOf(place));
      else this.kept().setItem(keyOf(place), text);
    } catch {
      // No room: then it is not kept over a reload, and nothing else is lost.
    }
    this.tell(place);
  }

  // Files of this place that the hub does not have yet.
  isSending(place: string) {
    return (this.sending.get(place) ?? 0) > 0;
  }

  // `by`: how many more; negative: how many fewer.
  count(place: string, by: number) {
    const left = (this.sending.get(place) ?? 0) + by;
    if (left > 0) this.sending.set(place, left);
    else this.sending.delete(place);
    this.tell(place);
  }

  subscribe(place: string, listener: () => void) {
    let all = this.listeners.get(place);
    if (!all) this.listeners.set(place, (all = new Set()));
    all.add(listener);
    return () => {
      all.delete(listener);
      if (all.size === 0 && this.listeners.get(place) === all) this.listeners.delete(place);
    };
  }

  private tell(place: string) {
    for (const listener of this.listeners.get(place) ?? []) listener();
  }
}

function keyOf(place: string) {
  return `tyer.draft.${place}`;
}

export const drafts = new Drafts(() => sessionStorage);

// A text as it is written at a place, where `first` stood. What is the same as that is no draft.
export interface Draft {
  place: string;
  text: string;
  now: () => string; // Also when it is long ago that it was shown.
  set: (text: string) => void;
}

export function useDraft(place: string, first = ''): Draft {
  const subscribe = useCallback((tell: () => void) => drafts.subscribe(place, tell), [place]);
  const now = () => drafts.text(place) ?? first;
  const text = useSyncExternalStore(subscribe, now);
  const set = (next: string) => drafts.write(place, next === first ? undefined : next);
  return { place, text, now, set };
}

export function useIsSending(place: string) {
  const subscribe = useCallback((tell: () => void) => drafts.subscribe(place, tell), [place]);
  return useSyncExternalStore(subscribe, () => drafts.isSending(place));
}

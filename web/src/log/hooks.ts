// How views read the log: they name what they show, and are drawn again when it changes.

import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';

import type { Event } from '../api/shapes.ts';
import { namedKey, sessionName } from './names.ts';
import { Source } from './source.ts';
import { Store } from './store.ts';
import type { Kind, Kinds } from './subjects.ts';

export const store = new Store();
export const source = new Source(store);

function useTopic<T>(topic: string, read: () => T): T {
  const subscribe = useCallback(
    (listener: () => void) => store.subscribe(topic, listener),
    [topic],
  );
  return useSyncExternalStore(subscribe, read);
}

// One subject, by kind and id; undefined until it was read, or when it is gone.
export function useSubject<K extends Kind>(kind: K, id: string): Kinds[K] | undefined {
  return useTopic(`${kind}/${id}`, () => store.get(kind, id));
}

// All of a kind, or those in one parent (`feed/ID`), in the order of their ids, the oldest first.
export function useSubjects<K extends Kind>(kind: K, parent = ''): Kinds[K][] {
  return useTopic(parent ? `${kind} in ${parent}` : kind, () => store.list(kind, parent));
}

const naming = ['agent', 'session', 'feed'] as const;

// Words that the names of things are part of: the same text until one of them changes.
function useNaming(read: () => string) {
  const subscribe = useCallback((listener: () => void) => {
    const ends = naming.map((kind) => store.subscribe(kind, listener));
    return () => ends.forEach((end) => end());
  }, []);
  return useSyncExternalStore(subscribe, read);
}

export function useSessionName(id: string, agent_id?: string) {
  return useNaming(() => sessionName(store, id, agent_id));
}

export function useNamedKey(key: string) {
  return useNaming(() => namedKey(store, key));
}

// The events that came since the page was opened, the oldest first, the last 2,000.
export function useEvents(): Event[] {
  return useTopic('events', () => store.events());
}

// Calls back for each batch of changes to a topic, without drawing anything.
export function useChange(topic: string, act: () => void) {
  useEffect(() => store.subscribe(topic, act), [topic, act]);
}

export function useStream() {
  const state = useTopic('stream', () => source.state);
  return { state, since: source.since };
}

export interface Loading {
  loading: boolean;
  error: Error | undefined;
  again: () => void;
}

const begun = new Map<string, { epoch: number; done: boolean; error: Error | undefined }>();

// Forgets what was read, as after logging out.
export function forgetSnapshots() {
  begun.clear();
}

// So that it is read again by who wants it next: what it put into the store was dropped.
export function forgetSnapshot(name: string) {
  begun.delete(name);
}

// Reads something into the store, once for all who want it under this name; again when the log does
// not reach back (epoch), or when asked to. `load` puts its rows with `source.snapshot`.
export function useSnapshot(name: string, load: () => Promise<unknown>): Loading {
  const epoch = useTopic('epoch', () => source.epoch);
  const [turn, setTurn] = useState(0);
  const [, redraw] = useState(0);
  const again = useCallback(() => {
    begun.delete(name);
    setTurn((n) => n + 1);
  }, [name]);
  // What could not be read because the hub was away is read when it is back.
  const comeBack = useCallback(() => {
    if (source.state === 'live' && begun.get(name)?.error) again();
  }, [name, again]);
  useChange('stream', comeBack);
  useEffect(() => {
    if (!name) return;
    let shown = true;
    const known = begun.get(name);
    const draw = () => shown && redraw((n) => n + 1);
    const unsubscribe = store.subscribe(`snapshot ${name}`, draw);
    if (!known || known.epoch !== epoch || (known.done && known.error)) {
      const state = { epoch, done: false, error: undefined as Error | undefined };
      begun.set(name, state);
      load().then(
        () => {
          state.done = true;
          store.mark(`snapshot ${name}`);
        },
        (error: unknown) => {
          state.done = true;
          state.error = error instanceof Error ? error : new Error(String(error));
          store.mark(`snapshot ${name}`);
        },
      );
    }
    return () => {
      shown = false;
      unsubscribe();
    };
    // `load` is named by `name`: who gives another function under the same name means the same.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [name, epoch, turn]);
  const state = begun.get(name);
  return { loading: !!name && !state?.done, error: state?.error, again };
}

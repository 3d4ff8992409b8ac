// How what an event tells comes to what is known already.

import type { Event } from '../api/shapes.ts';
import { seqOf } from './subjects.ts';

// An event's own members are no part of its subject.
export function bodyOf(event: Event) {
  const { event: _type, event_id: _id, at: _at, actor: _actor, key: _key, ...body } = event;
  return body;
}

// As the hub merges: what is null is gone.
export function merged<T extends object>(known: T | undefined, body: object): T {
  const result: Record<string, unknown> = { ...known };
  for (const [name, value] of Object.entries(body)) {
    if (value === null) delete result[name];
    else result[name] = value;
  }
  return result as T;
}

// In the order of the log, whichever was heard first, and each once: what was said before the page
// was opened is read after what came since.
export function placed<T extends { event_id: string }>(said: readonly T[], one: T): readonly T[] {
  const at = said.findLastIndex((other) => seqOf(other.event_id) <= seqOf(one.event_id));
  if (said[at]?.event_id === one.event_id) return said;
  return [...said.slice(0, at + 1), one, ...said.slice(at + 1)];
}

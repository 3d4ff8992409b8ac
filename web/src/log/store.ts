// The page's picture of the hub: subjects by kind and key, and who wants to know when they change.
//
// It holds data and tells of changes; what an event means is decided in fold.ts. Listeners are told
// once per turn of the clock, however much has changed: 200 events are one rendering.

import type { Event } from '../api/shapes.ts';
import { event_text_chars_max, events_max, kept, parentOf } from './subjects.ts';
import type { Kind, Kinds } from './subjects.ts';

type Listener = () => void;

interface Shelf {
  all: Map<string, object>;
  byParent: Map<string, Map<string, object>>;
}

const told_every_ms = 16;

// Of thousands of events not all texts are kept: what is shown elsewhere has them whole.
function shortened(event: Event): Event {
  const long = Object.entries(event).filter(
    ([, value]) => typeof value === 'string' && value.length > event_text_chars_max,
  ) as [string, string][];
  if (long.length === 0) return event;
  const cut = long.map(([name, text]) => [name, `${text.slice(0, event_text_chars_max)} …`]);
  return { ...event, ...Object.fromEntries(cut) };
}

export class Store {
  private shelves = new Map<Kind, Shelf>();
  private gone = new Set<string>();
  private versions = new Map<string, number>();
  private lists = new Map<string, { version: number; rows: unknown[] }>();
  private listeners = new Map<string, Set<Listener>>();
  private changed = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  // The last events as they came, for those who show the log itself.
  private tail: Event[] = [];
  // Threads and runs that somebody shows, by their ids: of others comments are not kept, and not all
  // that was said.
  readonly open = new Map<string, number>();
  // What is to be read from the hub, by kind: posts that became unread and were never read here,
  // agents of which the log does not tell how they are doing now.
  private wanted = new Map<Kind, Set<string>>();

  get<K extends Kind>(kind: K, id: string): Kinds[K] | undefined {
    return this.shelves.get(kind)?.all.get(id) as Kinds[K] | undefined;
  }

  // All of a kind, or those in one parent, in the order of their ids. The same array until it
  // changes.
  list<K extends Kind>(kind: K, parent = ''): Kinds[K][] {
    const topic = parent ? `${kind} in ${parent}` : kind;
    const version = this.version(topic);
    const known = this.lists.get(topic);
    if (known && known.version === version) return known.rows as Kinds[K][];
    const shelf = this.shelves.get(kind);
    const from = parent ? shelf?.byParent.get(parent) : shelf?.all;
    const rows = [...(from ?? [])]
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([, subject]) => subject);
    this.lists.set(topic, { version, rows });
    return rows as Kinds[K][];
  }

  put<K extends Kind>(kind: K, id: string, subject: Kinds[K]) {
    const key = `${kind}/${id}`;
    if (this.gone.has(key)) return;
    let shelf = this.shelves.get(kind);
    if (!shelf) this.shelves.set(kind, (shelf = { all: new Map(), byParent: new Map() }));
    if (!shelf.all.has(id) && shelf.all.size >= kept[kind]) {
      const oldest = shelf.all.keys().next().value;
      if (oldest !== undefined) this.forget(kind, oldest);
    }
    shelf.all.set(id, subject);
    const parent = parentOf(kind, subject);
    if (parent) {
      let rows = shelf.byParent.get(parent);
      if (!rows) shelf.byParent.set(parent, (rows = new Map()));
      rows.set(id, subject);
      this.mark(`${kind} in ${parent}`);
    }
    this.mark(kind);
    this.mark(key);
  }

  patch<K extends Kind>(kind: K, id: string, change: Partial<Kinds[K]>) {
    const known = this.get(kind, id);
    if (known) this.put(kind, id, { ...known, ...change });
  }

  // It may come back: what was only dropped to save room is read again when wanted.
  forget(kind: Kind, id: string) {
    const shelf = this.shelves.get(kind);
    const subject = shelf?.all.get(id);
    if (!shelf || !subject) return;
    shelf.all.delete(id);
    const parent = parentOf(kind, subject);
    if (parent) {
      shelf.byParent.get(parent)?.delete(id);
      this.mark(`${kind} in ${parent}`);
    }
    this.mark(kind);
    this.mark(`${kind}/${id}`);
  }

  // Deleted: an older snapshot that still has it does not bring it back.
  remove(kind: Kind, id: string) {
    this.gone.add(`${kind}/${id}`);
    this.forget(kind, id);
  }

  want(kind: Kind, id: string) {
    if (this.isGone(kind, id)) return;
    const ids = this.wanted.get(kind);
    if (ids) ids.add(id);
    else this.wanted.set(kind, new Set([id]));
    this.mark(`wanted ${kind}`);
  }

  takeWanted(kind: Kind): string[] {
    const ids = [...(this.wanted.get(kind) ?? [])];
    this.wanted.delete(kind);
    return ids;
  }

  isGone(kind: Kind, id: string) {
    return this.gone.has(`${kind}/${id}`);
  }

  remember(event: Event) {
    this.tail.push(shortened(event));
    if (this.tail.length > 2 * events_max) this.tail = this.tail.slice(-events_max);
    this.mark('events');
  }

  events(): Event[] {
    const version = this.version('events');
    const known = this.lists.get('events');
    if (known && known.version === version) return known.rows as Event[];
    const rows = this.tail.slice(-events_max);
    this.lists.set('events', { version, rows });
    return rows;
  }

  // Everything is to be read again.
  clear() {
    for (const [kind, shelf] of this.shelves) {
      for (const id of [...shelf.all.keys()]) this.forget(kind, id);
    }
    this.gone.clear();
    this.wanted.clear();
    this.tail = [];
    this.mark('events');
  }

  // A topic is a kind, a key, `KIND in PARENT`, `wanted KIND` or `events`.
  version(topic: string) {
    return this.versions.get(topic) ?? 0;
  }

  subscribe(topic: string, listener: Listener) {
    let all = this.listeners.get(topic);
    if (!all) this.listeners.set(topic, (all = new Set()));
    all.add(listener);
    return () => void all.delete(listener);
  }

  mark(topic: string) {
    this.versions.set(topic, this.version(topic) + 1);
    this.changed.add(topic);
    this.timer ??= setTimeout(() => this.tell(), told_every_ms);
  }

  private tell() {
    this.timer = undefined;
    const topics = this.changed;
    this.changed = new Set();
    const told = new Set<Listener>();
    for (const topic of topics) {
      for (const listener of this.listeners.get(topic) ?? []) told.add(listener);
    }
    for (const listener of told) listener();
  }
}

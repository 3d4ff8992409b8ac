// What an event means for the page's picture: one small function per kind. Pure apart from the
// store it is given, and the same event twice does no harm.

import type { Agent, Event, Item, Post } from '../api/shapes.ts';
import { bodyOf, merged } from './merge.ts';
import { foldRun, putRun } from './run_events.ts';
import type { Store } from './store.ts';
import { idOf, kindOf } from './subjects.ts';
import type { ItemState, Kind, Kinds, LiveRun } from './subjects.ts';
import { foldThread } from './thread_events.ts';

function thing<K extends Kind>(store: Store, kind: K, event: Event, extra: object = {}) {
  const id = idOf(event.key);
  const known = store.get(kind, id);
  if (event.event === `${kind}_deleted`) return store.remove(kind, id);
  // A change of something that was never read: it will be read when somebody wants it.
  if (!known && event.event !== `${kind}_created`) return;
  store.put(kind, id, merged<Kinds[K]>(known, { ...bodyOf(event), id, ...extra }));
}

function comment(store: Store, event: Event) {
  const post = String(event.post_id ?? store.get('comment', idOf(event.key))?.post_id ?? '');
  if (event.event !== 'comment_deleted' && !store.open.has(post)) return;
  thing(store, 'comment', event);
}

function post(store: Store, event: Event) {
  const extra: Partial<Post> =
    event.event === 'post_created'
      ? { comment_count: 0, last_at: event.at, unread: event.author_type === 'bot' }
      : {};
  thing(store, 'post', event, extra);
}

// With a feed goes what is in it.
function feed(store: Store, event: Event) {
  thing(store, 'feed', event);
  if (event.event !== 'feed_deleted') return;
  for (const post of store.list('post', event.key)) store.remove('post', post.id);
}

// Whatever ends a lease frees its key; who holds it next is told by an event of its own.
function lease(store: Store, event: Event) {
  // Sessions have leases, too, which nobody lists.
  if (kindOf(event.key) === 'lock' && event.event !== 'lease_renewed') store.mark('locks');
  if (event.event === 'lease_granted') {
    store.put('lease', event.key, { ...bodyOf(event), key: event.key, at: event.at });
  } else if (event.event !== 'lease_renewed') {
    store.forget('lease', event.key);
  }
}

const item_status: Record<string, string> = {
  item_opened: 'open',
  item_retried: 'open',
  item_answered: 'answered',
  item_skipped: 'skipped',
  item_moved: 'moved',
  item_withdrawn: 'withdrawn',
};

function item(store: Store, event: Event) {
  const id = idOf(event.key);
  const known = store.get('item', id);
  const status = item_status[event.event] ?? known?.status ?? 'open';
  if (status === 'open' || status === 'skipped') {
    const session_id = id.slice(0, id.indexOf('/'));
    const body = { session_id, ...bodyOf(event), key: event.key, status };
    store.put('item', id, merged<ItemState>(known, body));
  } else {
    store.forget('item', id);
  }
}

// What is open or was given up, as a list of the hub has it.
export function takeItem(store: Store, row: Item, status: 'open' | 'skipped') {
  const id = `${row.session_id}/${row.source_id}`;
  store.put('item', id, { ...store.get('item', id), ...row, key: `item/${id}`, status });
}

function hasBudget(agent: Agent) {
  const { runs_per_day, cents_per_day, session_runs_per_day, session_cents_per_day } = agent;
  return [runs_per_day, cents_per_day, session_runs_per_day, session_cents_per_day].some(
    (most) => (most ?? 0) > 0,
  );
}

// Each tells all that was used that day so far. Whether a budget is used up is for the hub to say.
function tally(store: Store, event: Event) {
  const id = idOf(event.key);
  store.put('tally', id, merged(store.get('tally', id), { ...bodyOf(event), id }));
  const agent = store.get('agent', String(event.agent_id));
  if (agent && (typeof event.told === 'string' || hasBudget(agent))) store.want('agent', agent.id);
}

// No event tells how an agent is doing, only that this may be another now.
function agent(store: Store, event: Event) {
  const id = idOf(event.key);
  if (event.event === 'agent_online' || event.event === 'agent_offline') {
    const online = event.event === 'agent_online';
    thing(store, 'agent', event, { online, last_seen: event.at });
  } else {
    thing(store, 'agent', event);
  }
  if (store.get('agent', id)) store.want('agent', id);
}

// Whether an agent waits for its service is for the hub to say.
function session(store: Store, event: Event) {
  thing(store, 'session', event, event.event === 'session_created' ? idle : {});
  const agent = String(event.agent_id);
  if (event.not_before !== undefined && store.get('agent', agent)) store.want('agent', agent);
}

export function fold(store: Store, event: Event) {
  if (event.event.startsWith('lease_')) return lease(store, event);
  switch (kindOf(event.key)) {
    case 'agent':
      return agent(store, event);
    case 'session':
      return session(store, event);
    case 'feed':
      return feed(store, event);
    case 'post':
      return post(store, event);
    case 'comment':
      return comment(store, event);
    case 'thread':
      return foldThread(store, event);
    case 'shift':
      return foldRun(store, event);
    case 'item':
      return item(store, event);
    case 'tally':
      return tally(store, event);
  }
}

const idle = { status: 'idle' };

// A row of a snapshot. What was already known and the row does not tell is kept.
export function take<K extends Kind>(store: Store, kind: K, row: Kinds[K]) {
  const id = (row as { id: string }).id;
  const known = { ...store.get(kind, id), ...row };
  if (kind === 'shift') putRun(store, known as LiveRun);
  else store.put(kind, id, known);
}

// What an event means for the page's picture: one small function per kind. Pure apart from the
// store it is given, and the same event twice does no harm.

import type { Event, Item, Post } from '../api/shapes.ts';
import type { Store } from './store.ts';
import { idOf, kindOf, notices_max, outputs_max, seqOf } from './subjects.ts';
import type { Kind, Kinds, ItemState, LiveRun, Output, Thread, ThreadNotice } from './subjects.ts';

// An event's own members are no part of its subject.
function bodyOf(event: Event) {
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

const unread_by: Record<string, boolean> = {
  thread_opened: false,
  thread_arrived: true,
  thread_answered: true,
  thread_read: false,
};

function thread(store: Store, event: Event) {
  const id = idOf(event.key);
  const change: Partial<Post> = {};
  if (typeof event.comment_count === 'number') change.comment_count = event.comment_count;
  if (typeof event.last_at === 'string') change.last_at = event.last_at;
  // Some of what the hub remarks is for people to see: somebody waits for an answer in vain.
  const isNews = (event.notice as { unread?: boolean } | undefined)?.unread;
  const unread = isNews || unread_by[event.event];
  if (unread !== undefined) change.unread = unread;
  if (event.trouble !== undefined) change.trouble = event.trouble as string | null;
  if (event.event === 'thread_read') change.trouble = null;
  if (Object.keys(change).length > 0) store.patch('post', id, change);
  if (unread && !store.get('post', id)) store.want('post', id);

  const known: Thread = store.get('thread', id) ?? { id, typists: [], notices: [] };
  const session_id = String(event.session_id ?? '');
  const others = known.typists.filter((one) => session_id && one.session_id !== session_id);
  if (event.event === 'agent_typing') {
    const typist = {
      session_id,
      agent_id: String(event.agent_id ?? event.typing ?? ''),
      name: String(event.author_name ?? ''),
      since: event.at,
    };
    store.put('thread', id, { ...known, typists: [...others, typist] });
  } else if (event.event === 'agent_idle') {
    store.put('thread', id, { ...known, typists: others });
  } else if (event.event === 'notice') {
    const said = event.notice as Partial<ThreadNotice> | undefined;
    if (!said?.text || known.notices.some((one) => one.event_id === event.event_id)) return;
    const notice: ThreadNotice = {
      event_id: event.event_id,
      at: event.at,
      text: said.text,
      ...(said.source_id ? { source_id: said.source_id } : {}),
      session_id: said.session_id ?? null,
    };
    store.put('thread', id, {
      ...known,
      notices: [...known.notices, notice].slice(-notices_max),
    });
  }
}

// In the order of the log, whichever was heard first: what was said before the page was opened is
// read after what came since.
function withOutput(said: readonly Output[], output: Output): Output[] {
  const at = said.findLastIndex((one) => seqOf(one.event_id) <= seqOf(output.event_id));
  if (said[at]?.event_id === output.event_id) return [...said];
  return [...said.slice(0, at + 1), output, ...said.slice(at + 1)].slice(-outputs_max);
}

// A session runs while one of its runs does: no event of its own says so.
function tellSession(store: Store, session: string) {
  const isRunning = store.list('shift', `session/${session}`).some((one) => one.status === 'running');
  const status = isRunning ? 'running' : 'idle';
  if (store.get('session', session)?.status !== status) store.patch('session', session, { status });
}

// Whether it has credentials is seen when it runs.
function tellAgent(store: Store, event: Event) {
  const agent = store.get('agent', String(event.agent_id));
  const isRefused = event.verdict === 'credentials';
  if (!agent?.state || (!isRefused && agent.state !== 'no_credentials')) return;
  const state = isRefused ? 'no_credentials' : 'idle';
  store.patch('agent', agent.id, { state, state_why: isRefused ? String(event.why ?? '') : '' });
}

function shift(store: Store, event: Event) {
  const id = String(event.run ?? idOf(event.key));
  const known = store.get('shift', id);
  if (event.event === 'run_finished') tellAgent(store, event);
  // Of a run that was not read, a word is no picture. Its story is read when it is wanted.
  if (!known && event.event !== 'run_started') {
    return tellSession(store, String(event.session_id ?? ''));
  }
  const told = merged<LiveRun>(undefined, { ...bodyOf(event), id });
  // A run that has ended stays so: its story, when it is read, is older than what is known.
  const hasEnded = known?.status === 'ended' && event.event !== 'run_finished';
  const body = hasEnded ? { ...told, ...known } : merged<LiveRun>(known, { ...bodyOf(event), id });
  if (event.event === 'run_started' && !hasEnded) body.status = 'running';
  if (event.event === 'run_finished') body.status = 'ended';
  if (event.event === 'run_stop_asked') body.stop_asked = true;
  if (event.event === 'run_output' && typeof event.output === 'string') {
    const output = { event_id: event.event_id, at: event.at, text: event.output };
    body.outputs = withOutput(known?.outputs ?? [], output);
    body.output = hasEnded ? null : (body.outputs.at(-1)?.text ?? null);
  }
  store.put('shift', id, body);
  tellSession(store, String(event.session_id ?? body.session_id));
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

// Each tells all that was used that day so far.
function tally(store: Store, event: Event) {
  const id = idOf(event.key);
  store.put('tally', id, merged(store.get('tally', id), { ...bodyOf(event), id }));
  // That a budget is reached is told there once.
  const agent = store.get('agent', String(event.agent_id));
  if (agent?.state && typeof event.told === 'string') {
    store.patch('agent', agent.id, { state: 'over_budget', state_why: event.told });
  }
}

function agent(store: Store, event: Event) {
  const seen = { last_seen_at: event.at };
  const state = store.get('agent', idOf(event.key))?.state;
  if (event.event === 'agent_online') {
    const served = state === 'unserved' ? { state: 'idle', state_why: '' } : {};
    thing(store, 'agent', event, { online: true, ...seen, ...served });
  } else if (event.event === 'agent_offline') {
    const unserved = state === 'idle' ? { state: 'unserved', state_why: '' } : {};
    thing(store, 'agent', event, { online: false, ...seen, ...unserved });
  } else {
    thing(store, 'agent', event);
  }
}

export function fold(store: Store, event: Event) {
  if (event.event.startsWith('lease_')) return lease(store, event);
  switch (kindOf(event.key)) {
    case 'agent':
      return agent(store, event);
    case 'session':
      return thing(store, 'session', event, event.event === 'session_created' ? idle : {});
    case 'feed':
      return feed(store, event);
    case 'post':
      return post(store, event);
    case 'comment':
      return comment(store, event);
    case 'thread':
      return thread(store, event);
    case 'shift':
      return shift(store, event);
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
  store.put(kind, id, { ...store.get(kind, id), ...row });
}


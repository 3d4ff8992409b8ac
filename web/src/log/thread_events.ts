// What an event means for a thread: whether there is something new in it, who types there, and what
// the hub remarked.

import type { Event, Post } from '../api/shapes.ts';
import { placed } from './merge.ts';
import type { Store } from './store.ts';
import { idOf, notices_max } from './subjects.ts';
import type { Thread, ThreadNotice } from './subjects.ts';

const unread_by: Record<string, boolean> = {
  thread_opened: false,
  thread_arrived: true,
  thread_answered: true,
  thread_read: false,
};

// What the list of posts says of the thread.
function tellPost(store: Store, id: string, event: Event) {
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
}

function threadOf(store: Store, id: string): Thread {
  return store.get('thread', id) ?? { id, typists: [], notices: [] };
}

function tellTypist(store: Store, id: string, event: Event) {
  const known = threadOf(store, id);
  const session_id = String(event.session_id ?? '');
  const others = known.typists.filter((one) => session_id && one.session_id !== session_id);
  if (event.event === 'agent_idle') return store.put('thread', id, { ...known, typists: others });
  const typist = {
    session_id,
    agent_id: String(event.agent_id ?? event.typing ?? ''),
    name: String(event.author_name ?? ''),
    since: event.at,
  };
  store.put('thread', id, { ...known, typists: [...others, typist] });
}

// What was remarked, whenever that was. Of an old remark this is all that the page hears: what it
// meant for the post then has long been read, or answered.
export function tellNotice(store: Store, event: Event) {
  const said = event.notice as Partial<ThreadNotice> | undefined;
  if (!said?.text) return;
  const id = idOf(event.key);
  const known = threadOf(store, id);
  const notice: ThreadNotice = {
    event_id: event.event_id,
    at: event.at,
    text: said.text,
    ...(said.source_id ? { source_id: said.source_id } : {}),
    session_id: said.session_id ?? null,
  };
  const notices = placed(known.notices, notice).slice(-notices_max);
  store.put('thread', id, { ...known, notices });
}

export function foldThread(store: Store, event: Event) {
  tellPost(store, idOf(event.key), event);
  if (event.event === 'notice') tellNotice(store, event);
  if (event.event === 'agent_typing' || event.event === 'agent_idle') {
    tellTypist(store, idOf(event.key), event);
  }
}

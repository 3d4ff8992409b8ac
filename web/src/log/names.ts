// What things are called, as far as the page knows them.

import type { Store } from './store.ts';

// What was made in one commit has the same chance at the end, and a number before that.
const end_chars = 9;

// Ids begin with a time and are alike in front: a long one is shortened in its middle.
export function shortKey(key: string) {
  const short = (id: string) =>
    id.length > end_chars + 8 ? `${id.slice(0, 3)}…${id.slice(-end_chars)}` : id;
  return key.split('/').map(short).join('/');
}

// `demo`, or `demo/deploy` if it is not the agent's default session. One that was deleted has only
// its id left.
export function sessionName(store: Store, id: string, agent_id = '') {
  const session = store.get('session', id);
  const agent = store.get('agent', session?.agent_id ?? agent_id);
  if (!agent) return shortKey(id);
  if (!session) return `${agent.name}/${shortKey(id)}`;
  return session.is_default ? agent.name : `${agent.name}/${session.name}`;
}

// A key as people read it: with names for what has one, and the log's `shift` by its own.
export function namedKey(store: Store, key: string) {
  const [kind = '', ...ids] = key.split('/');
  // What people call a lock may look like anything.
  if (kind === 'lock') return key;
  const named = ids.map((id) => {
    if (id.startsWith('ag_')) return store.get('agent', id)?.name ?? shortKey(id);
    if (id.startsWith('ss_')) return sessionName(store, id);
    if (id.startsWith('fd_')) return store.get('feed', id)?.name ?? shortKey(id);
    return shortKey(id);
  });
  return [kind === 'shift' ? 'run' : kind, ...named].join('/');
}

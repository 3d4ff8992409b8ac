// Events and posts as tests tell them.

import type { Event, Post } from '../api/shapes.ts';

let seq = 0;

// Each is newer than all before it.
export function event(type: string, key: string, body: object = {}): Event {
  seq += 1;
  const event_id = `ev_${String(seq).padStart(16, '0')}`;
  return { event: type, key, event_id, at: '2026-11-16T01:00:00Z', actor: 'human/admin', ...body };
}

export function post(id: string): Post {
  const written = {
    author_name: 'a',
    author_type: 'human' as const,
    content: 'x',
    created_by: 'a',
  };
  return { id, ...written, created_at: '2026-11-16T00:00:00Z', feed_id: 'fd_1' };
}

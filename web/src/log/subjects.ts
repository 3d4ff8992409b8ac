// What the page keeps, by kind. A key is `KIND/ID`, as in the hub's own log; kinds have its names,
// so the runs of sessions are of kind `shift`.

import type { Agent, Comment, Feed, Post, Run, Session, Tally } from '../api/shapes.ts';

export interface Typist {
  session_id: string;
  agent_id: string;
  name: string;
  since: string;
}

export interface ThreadNotice {
  event_id: string;
  at: string;
  text: string;
  source_id?: string;
  session_id?: string | null;
}

// What a thread shows beside its comments.
export interface Thread {
  id: string;
  typists: Typist[];
  notices: readonly ThreadNotice[];
}

export interface Output {
  event_id: string;
  at: string;
  text: string;
}

// A run with what it said, while somebody shows it; else with the newest of that.
export interface LiveRun extends Run {
  outputs?: readonly Output[];
  left_out?: number; // How many bytes it said before the first of these.
  stop_asked?: boolean;
}

// A lease as the log tells it; GET /api/leases tells verdicts and evidence.
export interface HeldLease {
  key: string;
  at: string;
  owner?: string;
  command?: string;
  host?: string;
  pid?: number;
  run?: string;
}

export interface ItemState {
  key: string;
  status: string;
  session_id: string;
  source_id: string;
  post_id: string;
  wakes: number;
  rests?: boolean;
  asks?: boolean;
}

// What one session used in a day; `DAY/AGENT/SESSION`.
export interface Used extends Tally {
  id: string;
}

export interface Kinds {
  agent: Agent;
  session: Session;
  feed: Feed;
  post: Post;
  comment: Comment;
  shift: LiveRun;
  thread: Thread;
  lease: HeldLease;
  item: ItemState;
  tally: Used;
}

export type Kind = keyof Kinds;

// How many subjects of a kind are kept; the oldest go first. The hub has the rest.
export const kept: Record<Kind, number> = {
  agent: 1_000,
  session: 10_000,
  feed: 1_000,
  post: 10_000,
  comment: 50_000,
  shift: 5_000,
  thread: 5_000,
  lease: 5_000,
  item: 5_000,
  tally: 10_000,
};

export const outputs_max = 500;
export const output_chars_max = 4 << 20; // Of one run.
export const notices_max = 200;
export const events_max = 2_000;
export const event_text_chars_max = 2_000; // Of one text in one of them.

export function kindOf(key: string) {
  const slash = key.indexOf('/');
  return slash < 0 ? key : key.slice(0, slash);
}

export function idOf(key: string) {
  return key.slice(key.indexOf('/') + 1);
}

// Where a subject is listed: posts in their feed, comments in their post, and so on.
export function parentOf(kind: Kind, body: object): string {
  const of = body as Record<string, unknown>;
  switch (kind) {
    case 'post':
      return `feed/${of.feed_id}`;
    case 'comment':
      return `post/${of.post_id}`;
    case 'session':
    case 'tally':
      return `agent/${of.agent_id}`;
    case 'shift':
    case 'item':
      return `session/${of.session_id}`;
    default:
      return '';
  }
}

export function seqOf(event_id: string) {
  return Number(event_id.replace('ev_', ''));
}

// What the hub answers, by the names that openapi.json gives. A member that is not always there is
// optional; members that the page never reads are left out.

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

export interface Target {
  agent_id: string;
  session_id: string;
  reason: string;
}

export interface Agent {
  id: string;
  name: string;
  type: string;
  created_at: string;
  default_session: string;
  working_directory?: string;
  model?: string;
  permission_mode?: string;
  command?: string[];
  environment?: string[];
  worktree?: boolean;
  minutes_max?: number;
  runs_per_day?: number;
  cents_per_day?: number;
  session_runs_per_day?: number;
  session_cents_per_day?: number;
  last_seen?: string;
  online?: boolean;
  // How it is doing, and why it does not work if it does not.
  state?: string;
  state_why?: string;
}

export interface Session {
  id: string;
  agent_id: string;
  name: string;
  is_default: boolean;
  status: string;
  claude_session_id: string;
  followed_posts: string[];
  created_at: string;
}

export interface Feed {
  id: string;
  name: string;
  position: number;
  unread?: number;
  author_name: string;
  author_type: string;
  created_at: string;
}

interface Written {
  id: string;
  author_name: string;
  author_type: 'human' | 'bot';
  content: string;
  created_at: string;
  created_by: string;
  updated_at?: string;
  feed_id: string;
  session_id?: string;
  target_session?: string;
  targets?: Target[];
  notices?: string[];
}

export interface Found {
  kind?: 'post' | 'comment';
  excerpt?: { text: string; start: number; length: number };
}

export interface Post extends Written, Found {
  title?: string;
  comment_count?: number;
  last_at?: string;
  unread?: boolean;
  // Why somebody waits for an answer there in vain.
  trouble?: string | null;
}

export interface Comment extends Written, Found {
  post_id: string;
  answers?: string[];
}

export interface Run {
  id: string;
  run: string;
  session_id: string;
  agent_id: string;
  post_id: string;
  feed_id: string;
  items: string[];
  status: string;
  started_at: string;
  ended_at?: string;
  verdict?: string;
  // Whether nobody waits for an answer of it any more.
  answered?: boolean;
  why?: string;
  output?: string | null;
  host?: string;
  pid?: number;
  input_tokens?: number;
  output_tokens?: number;
  cached_tokens?: number;
  cost_micros?: number;
}

export interface Item {
  session_id: string;
  source_id: string;
  post_id: string;
  feed_id: string;
  reason: string;
  wakes: number;
  created_at: string;
  content?: string;
  author_name?: string;
}

export interface Waiter {
  owner: string;
  command: string;
  host: string;
  pid: number;
  since: string;
}

export interface Lease {
  key: string;
  name: string;
  token: number;
  session?: string; // Only of what people see, or who holds it.
  owner: string;
  command: string;
  host: string;
  pid: number;
  granted_at: string;
  heard_at: string;
  held_ms: number;
  silent_ms: number;
  hold_ms: number;
  silence_ms: number;
  verdict: string;
  why: string;
  visible: boolean;
  waiting: number;
  waiters: Waiter[];
}

export interface Key {
  id: string;
  agent_id: string;
  name: string;
  kind: string;
  prefix: string;
  status: string;
  why?: string;
  created_at: string;
}

export interface Tally {
  agent_id: string;
  session_id: string;
  day: string;
  runs: number;
  failed: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  cost_micros: number;
}

export interface Upload {
  id: string;
  name: string;
  size: number;
  content_type: string;
  url: string;
}

// An event carries, beside these, what changed of its subject.
export interface Event {
  event_id: string;
  event: string;
  at: string;
  actor: string;
  key: string;
  id?: string;
  [member: string]: unknown;
}

export interface Me {
  id: string;
  name: string;
  type: string;
  logged_in?: boolean;
}

export interface Health {
  status: string;
  version?: string;
  store?: string;
}

export interface Shapes {
  Agent: Agent;
  BegunRun: unknown;
  Comment: Comment;
  Event: Event;
  Feed: Feed;
  File: unknown;
  Health: Health;
  Item: Item;
  JSON: unknown;
  Key: Key;
  Lease: Lease;
  Leases: { leases: Lease[] };
  Login: { name: string; type: string; csrf_token: string };
  Me: Me;
  NewAgent: Agent & { key: string; key_id: string };
  NewKey: Key & { key: string };
  NewToken: unknown;
  Nothing: void;
  Post: Post;
  Run: Run;
  Session: Session;
  Setup: { needs_setup: boolean; needs_code: boolean };
  Stream: unknown;
  Tally: Tally;
  Upload: Upload;
  Woken: unknown;
}

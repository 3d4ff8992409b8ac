// What an event means for a run, and for the session and the agent whose run it is.
//
// What a run said is kept while somebody shows it, and within a bound; of others only the newest is
// kept, for the lists, and only while they run.

import type { Event } from '../api/shapes.ts';
import { bodyOf, merged, placed } from './merge.ts';
import type { Store } from './store.ts';
import { idOf, output_chars_max, outputs_max, seqOf } from './subjects.ts';
import type { LiveRun, Output } from './subjects.ts';

const bytes = new TextEncoder();

// Without the oldest of what is too much; it says how much went.
function bounded(run: LiveRun): LiveRun {
  const outputs = run.outputs ?? [];
  let chars = 0;
  let from = outputs.length;
  while (from > 0 && outputs.length - from < outputs_max) {
    chars += outputs[from - 1]!.text.length;
    if (chars > output_chars_max && from < outputs.length) break;
    from -= 1;
  }
  if (from === 0) return run;
  const gone = outputs.slice(0, from).reduce((sum, { text }) => sum + bytes.encode(text).length, 0);
  return { ...run, outputs: outputs.slice(from), left_out: (run.left_out ?? 0) + gone };
}

function withOutput(run: LiveRun, output: Output): LiveRun {
  const known = run.outputs ?? [];
  const oldest = known[0];
  // What is older than all that is kept was counted when it went.
  if (run.left_out && oldest && seqOf(output.event_id) < seqOf(oldest.event_id)) return run;
  return bounded({ ...run, outputs: placed(known, output) });
}

// A run with one more event of its own.
export function withEvent(known: LiveRun | undefined, event: Event): LiveRun {
  const id = String(event.run ?? idOf(event.key));
  const told = { ...bodyOf(event), id };
  // A run that has ended stays so: what is heard later of the time before is told behind its end.
  const hasEnded = known?.status === 'ended' && event.event !== 'run_finished';
  let run = hasEnded
    ? { ...merged<LiveRun>(undefined, told), ...known }
    : merged<LiveRun>(known, told);
  if (event.event === 'run_started' && !hasEnded) run.status = 'running';
  if (event.event === 'run_finished') run.status = 'ended';
  if (event.event === 'run_stop_asked') run.stop_asked = true;
  if (event.event === 'run_output' && typeof event.output === 'string') {
    run = withOutput(run, { event_id: event.event_id, at: event.at, text: event.output });
    run.output = hasEnded ? null : (run.outputs?.at(-1)?.text ?? null);
  }
  return run;
}

// As much of it as is kept of a run that nobody shows.
function unshown({ left_out: _, outputs = [], ...run }: LiveRun): LiveRun {
  return run.status === 'running' && outputs.length > 0
    ? { ...run, outputs: outputs.slice(-1) }
    : run;
}

// A session runs while one of its runs does: no event of its own says so.
function tellSession(store: Store, session: string) {
  const runs = store.list('shift', `session/${session}`);
  const status = runs.some((one) => one.status === 'running') ? 'running' : 'idle';
  if (store.get('session', session)?.status !== status) store.patch('session', session, { status });
}

// Puts a run as it is known now. Of one that neither ran nor runs its session learns nothing.
export function putRun(store: Store, run: LiveRun) {
  const wasRunning = store.get('shift', run.id)?.status === 'running';
  store.put('shift', run.id, store.open.has(run.id) ? run : unshown(run));
  if (wasRunning || run.status === 'running') tellSession(store, run.session_id);
}

// Nobody shows it any more: when somebody does, its story is read again.
export function leaveRun(store: Store, id: string) {
  const run = store.get('shift', id);
  if (run?.outputs) store.put('shift', id, unshown(run));
}

const hindrances = new Set(['unserved', 'no_credentials', 'over_budget', 'waiting']);

// That it works clears what hindered it before. Once it rests the hub says how it is, unless that is
// plain: what it says of an agent at work hides all else, and no event tells of a login that is
// refused no more, or of a budget that is used up.
function tellAgent(store: Store, event: Event) {
  const agent = store.get('agent', String(event.agent_id));
  if (!agent?.state) return;
  if (event.event === 'run_started') {
    if (!hindrances.has(agent.state)) return;
    store.patch('agent', agent.id, { state: 'working', state_why: '' });
  } else if (agent.state === 'working' || event.verdict === 'credentials') {
    store.want('agent', agent.id);
  }
}

export function foldRun(store: Store, event: Event) {
  const known = store.get('shift', String(event.run ?? idOf(event.key)));
  if (event.event === 'run_started' || event.event === 'run_finished') tellAgent(store, event);
  if (known || event.event === 'run_started') return putRun(store, withEvent(known, event));
  // Of a run that was not read, a word is no picture: its story is read when it is wanted. Its end
  // says that its session does not run any more.
  if (event.event === 'run_finished') tellSession(store, String(event.session_id ?? ''));
}

// The story of a run, from its beginning to where the log was when it was read. It is of the past:
// neither its agent nor another run learns anything from it.
export function tellRun(store: Store, story: LiveRun) {
  const known = store.get('shift', story.id);
  const isOlder = known?.status === 'ended' && story.status !== 'ended';
  let run: LiveRun = isOlder ? { ...story, ...known } : { ...known, ...story };
  run = { ...run, outputs: story.outputs ?? [], left_out: story.left_out ?? 0 };
  for (const output of known?.outputs ?? []) run = withOutput(run, output);
  putRun(store, run);
}

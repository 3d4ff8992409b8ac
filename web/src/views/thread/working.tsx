// Who works on an answer in this thread, with the last line of what it says.

import { useSessionName, useSubject, useSubjects } from '../../log/hooks.ts';
import type { LiveRun, Typist } from '../../log/subjects.ts';
import { Dot } from '../../parts/status.tsx';
import { Elapsed } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { useText } from '../../text/text.ts';
import { threadText } from '../../text/views/thread.ts';

export function Working({ post_id }: { post_id: string }) {
  const thread = useSubject('thread', post_id);
  const runs = useSubjects('shift').filter(
    (run) => run.status === 'running' && run.post_id === post_id,
  );
  const running = new Set(runs.map((run) => run.session_id));
  // Agents that write with their bare key say that they type, and have no run.
  const typists = (thread?.typists ?? []).filter((typist) => !running.has(typist.session_id));
  const isQuiet = runs.length === 0 && typists.length === 0;
  // Who works is said once to those who listen, and not again with each second that it takes: the
  // lines themselves are to be looked at. What is said into must be there before.
  return (
    <>
      <div role="status" className="sr-only">
        {runs.map((run) => (
          <RunWords key={run.id} run={run} />
        ))}
        {typists.map((typist) => (
          <TypistWords key={typist.session_id + typist.agent_id} typist={typist} />
        ))}
      </div>
      {!isQuiet && (
        <div className="border-line flex flex-col gap-0.5 border-t px-4 py-1.5 sm:px-6">
          {runs.map((run) => (
            <RunLine key={run.id} run={run} />
          ))}
          {typists.map((typist) => (
            <TypistLine key={typist.session_id + typist.agent_id} typist={typist} />
          ))}
        </div>
      )}
    </>
  );
}

function lastLine(run: LiveRun) {
  const text = run.outputs?.at(-1)?.text ?? run.output ?? '';
  return text.trimEnd().split('\n').at(-1)?.slice(0, 300) ?? '';
}

function useRunWords(run: LiveRun) {
  const t = useText(threadText);
  return t.typing(useSessionName(run.session_id, run.agent_id));
}

function useTypistWords(typist: Typist) {
  const t = useText(threadText);
  const agent = useSubject('agent', typist.agent_id);
  return t.typing(typist.name || agent?.name || typist.agent_id);
}

function RunWords({ run }: { run: LiveRun }) {
  return <p>{useRunWords(run)}</p>;
}

function TypistWords({ typist }: { typist: Typist }) {
  return <p>{useTypistWords(typist)}</p>;
}

function RunLine({ run }: { run: LiveRun }) {
  const t = useText(threadText);
  return (
    <div className="text-soft flex min-w-0 items-center gap-2 text-sm">
      <Dot tone="busy" pulse />
      <bdi aria-hidden="true" className="min-w-0 truncate sm:shrink-0">
        {useRunWords(run)}
      </bdi>
      <span className="text-faint shrink-0 text-xs">
        <Elapsed from={run.started_at} />
      </span>
      <bdi className="text-faint hidden min-w-0 grow truncate font-mono text-xs sm:inline">
        {lastLine(run)}
      </bdi>
      <Link
        to={paths.run(run.session_id, run.id)}
        className="text-accent ml-auto shrink-0 text-xs hover:underline"
      >
        {t.see_run}
      </Link>
    </div>
  );
}

function TypistLine({ typist }: { typist: Typist }) {
  return (
    <div aria-hidden="true" className="text-soft flex items-center gap-2 text-sm">
      <Dot tone="busy" pulse />
      <bdi>{useTypistWords(typist)}</bdi>
    </div>
  );
}

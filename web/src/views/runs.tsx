// What agents do now, and what they did lately.

import { useState } from 'react';

import type { ViewProps } from '../views.ts';
import { useSessionName } from '../log/hooks.ts';
import { isUnanswered, newestFirst, statusOfRun } from '../log/runs.ts';
import { useAgents, useAllRuns } from '../log/snapshots.ts';
import type { LiveRun } from '../log/subjects.ts';
import { Money, useNumber } from '../parts/amount.tsx';
import { Empty, ErrorBox, Loading } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { Choice } from '../parts/field.tsx';
import { Key } from '../parts/key.tsx';
import { PostName } from '../parts/names.tsx';
import { Page } from '../parts/page.tsx';
import { useMark } from '../parts/rows.ts';
import { Fact, Facts, Row, Rows, Section } from '../parts/rows.tsx';
import { Status } from '../parts/status.tsx';
import { Elapsed, Time } from '../parts/time.tsx';
import { paths } from '../paths.ts';
import { Link, navigate } from '../router.tsx';
import { useNoticeWords } from '../text/notices.ts';
import { useText } from '../text/text.ts';
import { runText } from '../text/views/run.ts';
import { runsText } from '../text/views/runs.ts';
import { lastLine } from './run/output.ts';
import { StopRun } from './run/stop.tsx';

const shown_first = 100;

function RunRow({ run, marked }: { run: LiveRun; marked: boolean }) {
  const t = useText(runsText);
  const r = useText(runText);
  const words = useNoticeWords();
  const number = useNumber();
  const name = useSessionName(run.session_id, run.agent_id);
  const isRunning = run.status === 'running';
  const says = isRunning ? lastLine(run) : words(run.why ?? '') || (isUnanswered(run) ? r.unanswered : '');
  const used = (run.input_tokens ?? 0) + (run.output_tokens ?? 0);
  return (
    <Row marked={marked}>
      <Status is={statusOfRun(run)} />
      <Link
        to={paths.run(run.session_id, run.id)}
        className="hover:text-accent min-w-0 grow font-medium hover:underline"
      >
        <bdi className="user-text">{name}</bdi>
      </Link>
      {isRunning && <StopRun run={run} />}
      <div className="w-full">
        <Facts>
          <Time at={run.started_at} />
          <Elapsed from={run.started_at} to={run.ended_at} />
          <Fact label={t.thread}>
            <PostName id={run.post_id} />
          </Fact>
          {used > 0 && <Fact label={r.tokens}>{number(used)}</Fact>}
          {(run.cost_micros ?? 0) > 0 && <Money micros={run.cost_micros ?? 0} />}
          <Key of={`shift/${run.session_id}/${run.id}`} />
        </Facts>
        {says && (
          <p dir="auto" className="user-text text-soft line-clamp-2 pt-0.5 text-sm">
            {says}
          </p>
        )}
      </div>
    </Row>
  );
}

export default function Runs({ query }: ViewProps) {
  const t = useText(runsText);
  const { runs, loading, error, again } = useAllRuns();
  const { agents } = useAgents();
  const agent = query.get('agent') ?? '';
  const outcome = query.get('is') ?? '';
  const [most, setMost] = useState(shown_first);

  const wanted = runs.filter((run) => !agent || run.agent_id === agent).toSorted(newestFirst);
  const now = wanted.filter((run) => run.status === 'running');
  const ended = wanted.filter(
    (run) => run.status !== 'running' && (!outcome || (outcome === 'done') === (statusOfRun(run) === 'done')),
  );
  const shown = [...now, ...ended.slice(0, most)];

  const choose = (change: { agent?: string; is?: string }) => {
    const next = new URLSearchParams();
    for (const [name, value] of Object.entries({ agent, is: outcome, ...change })) {
      if (value) next.set(name, value);
    }
    navigate(next.size > 0 ? `${paths.runs}?${next}` : paths.runs, { replace: true });
  };
  const open = (id: string) => {
    const run = shown.find((one) => one.id === id);
    if (run) navigate(paths.run(run.session_id, run.id));
  };
  const marked = useMark(
    shown.map((run) => run.id),
    { next: t.next, previous: t.previous, open: { words: t.open, act: open } },
  );

  if (runs.length === 0 && loading) return <Loading />;
  return (
    <Page title={t.title} wide>
      {error && <ErrorBox error={error} again={again} />}
      {runs.length === 0 ? (
        <Empty title={t.none}>
          <p>{t.none_about}</p>
        </Empty>
      ) : (
        <>
          <div className="grid max-w-md grid-cols-2 gap-3">
            <Choice
              label={t.agent}
              value={agent}
              options={[['', t.all_agents], ...agents.map((one) => [one.id, one.name] as const)]}
              onChange={(event) => choose({ agent: event.target.value })}
            />
            <Choice
              label={t.outcome}
              value={outcome}
              options={[
                ['', t.any],
                ['done', t.done],
                ['bad', t.bad],
              ]}
              onChange={(event) => choose({ is: event.target.value })}
            />
          </div>
          <Section title={t.now}>
            {now.length === 0 ? (
              <p className="text-soft text-sm">{t.nothing_now}</p>
            ) : (
              <Rows label={t.now}>
                {now.map((run) => (
                  <RunRow key={run.id} run={run} marked={run.id === marked} />
                ))}
              </Rows>
            )}
          </Section>
          <Section title={t.recent}>
            {ended.length === 0 ? (
              <p className="text-soft text-sm">{t.no_match}</p>
            ) : (
              <Rows label={t.recent}>
                {ended.slice(0, most).map((run) => (
                  <RunRow key={run.id} run={run} marked={run.id === marked} />
                ))}
              </Rows>
            )}
            {ended.length > most && (
              <Button className="mt-3" onClick={() => setMost(most + shown_first)}>
                {t.more}
              </Button>
            )}
          </Section>
        </>
      )}
    </Page>
  );
}

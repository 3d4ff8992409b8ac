// One run: what it says as it says it, what it used, and how it ended.

import { useEffect, useMemo, useRef, useState } from 'react';

import type { ViewProps } from '../views.ts';
import { useSessionName } from '../log/hooks.ts';
import { isUnanswered, statusOfRun, waitedSince } from '../log/runs.ts';
import type { LiveRun } from '../log/subjects.ts';
import { Money, useNumber, useSize } from '../parts/amount.tsx';
import { Empty, ErrorBox, Loading } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Copy, Key } from '../parts/key.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { PostName, SessionName } from '../parts/names.tsx';
import { Page } from '../parts/page.tsx';
import { Fact, Facts, Section } from '../parts/rows.tsx';
import { Status } from '../parts/status.tsx';
import { Elapsed, Span, Time } from '../parts/time.tsx';
import { paths } from '../paths.ts';
import { Link } from '../router.tsx';
import { useNoticeWords } from '../text/notices.ts';
import { useText } from '../text/text.ts';
import { runText } from '../text/views/run.ts';
import { blocksOf } from './run/output.ts';
import type { Block, ToolCall } from './run/output.ts';
import { StopRun } from './run/stop.tsx';
import { useRun } from './run/story.ts';

function Tools({ calls, open }: { calls: ToolCall[]; open: boolean }) {
  const t = useText(runText);
  const names = [...new Set(calls.map((one) => one.tool))].join(', ');
  const failures = calls.filter((one) => one.failure !== undefined).length;
  return (
    <details open={open} className="group border-line bg-sunken rounded-md border text-sm">
      <summary className="text-soft hover:text-ink flex cursor-pointer flex-wrap items-center gap-x-2 px-3 py-1.5">
        <span className="transition-transform group-open:rotate-90">
          <Icon name="right" size={12} />
        </span>
        <span className="font-medium">{t.tools(calls.length)}</span>
        <span className="user-text min-w-0 truncate">{names}</span>
        {failures > 0 && <span className="text-bad">{`${failures} ${t.failed_call}`}</span>}
      </summary>
      <ol className="border-line divide-line divide-y border-t">
        {calls.map((one, i) => (
          <li key={i} className="px-3 py-1 font-mono text-xs">
            <span className="font-semibold">{one.tool}</span>{' '}
            <bdi className="user-text text-soft">{one.about}</bdi>
            {one.failure !== undefined && <p className="user-text text-bad">{one.failure}</p>}
          </li>
        ))}
      </ol>
    </details>
  );
}

// Where more was said than is told here.
function Gap({ words }: { words: string }) {
  return (
    <p className="text-soft border-line-strong flex items-center gap-2 border-y border-dashed py-1.5 text-sm">
      <Icon name="warning" />
      {words}
    </p>
  );
}

// The whole of it is where the run was, and how to see it there.
function Whole({ run, left_out }: { run: LiveRun; left_out: boolean }) {
  const t = useText(runText);
  const command = `tyer runs follow ${run.id}`;
  return (
    <div className={`pt-4 text-sm ${left_out ? 'text-warn' : 'text-faint'}`}>
      <p>{t.whole(run.host ?? '')}</p>
      <div className="flex flex-wrap items-center gap-2 pt-1">
        <code className="user-text bg-sunken border-line min-w-0 rounded border px-2 py-1 font-mono text-xs select-all">
          {command}
        </code>
        <Copy text={command} />
      </div>
    </div>
  );
}

function Shown({ block, open }: { block: Block; open: boolean }) {
  const t = useText(runText);
  const size = useSize();
  switch (block.is) {
    case 'gap':
      return <Gap words={t.gap(size(block.bytes))} />;
    case 'silence':
      return <Gap words={t.silence} />;
    case 'words':
      return <Markdown text={block.text} />;
    case 'tools':
      return <Tools calls={block.calls} open={open} />;
    case 'trouble':
      return (
        <p className="text-warn user-text flex gap-2 text-sm">
          <Icon name="warning" />
          {block.text}
        </p>
      );
  }
}

// Stays at the end while it is there; who has scrolled up is left alone.
function useFollowing(newest: string, live: boolean) {
  const [end, setEnd] = useState<HTMLDivElement | null>(null);
  const isAtEnd = useRef(false);
  useEffect(() => {
    if (!end) return;
    const observer = new IntersectionObserver(([entry]) => {
      isAtEnd.current = entry?.isIntersecting ?? false;
    });
    observer.observe(end);
    return () => observer.disconnect();
  }, [end]);
  useEffect(() => {
    if (live && isAtEnd.current) end?.scrollIntoView({ block: 'end' });
  }, [end, newest, live]);
  return setEnd;
}

export default function RunView({ params }: ViewProps) {
  const t = useText(runText);
  const words = useNoticeWords();
  const number = useNumber();
  const session = params.session ?? '';
  const id = params.run ?? '';
  const { run, loading, error, again } = useRun(session, id);
  const name = useSessionName(session, run?.agent_id);
  const [open, setOpen] = useState(false);
  const blocks = useMemo(
    () => blocksOf(run?.outputs ?? [], run?.left_out),
    [run?.outputs, run?.left_out],
  );
  const isRunning = run?.status === 'running';
  const end = useFollowing(run?.outputs?.at(-1)?.event_id ?? '', isRunning);
  const key = `shift/${session}/${id}`;

  if (!run && loading) return <Loading />;
  if (!run && error) return <ErrorBox error={error} again={again} />;
  if (!run) {
    return (
      <Empty alone title={t.none}>
        <p>{t.none_about}</p>
        <Link to={paths.runs} className="text-accent underline">
          {t.runs}
        </Link>
      </Empty>
    );
  }
  const since = waitedSince(run);
  const waited = since === undefined ? 0 : Date.parse(run.started_at) - since;
  const isCut = blocks.some((block) => block.is === 'gap' || block.is === 'silence');
  const hasTools = blocks.some((block) => block.is === 'tools');
  const used = (run.input_tokens ?? 0) + (run.output_tokens ?? 0) + (run.cached_tokens ?? 0);
  return (
    <Page
      title={t.title(name)}
      heading={<SessionName id={session} agent_id={run.agent_id} />}
      about={
        <>
          <Status is={statusOfRun(run)} />
          <Time at={run.started_at} />
          <Key of={key} />
        </>
      }
      actions={isRunning ? <StopRun run={run} /> : undefined}
    >
      <Facts>
        <Fact label={t.thread}>
          <PostName id={run.post_id} />
        </Fact>
        <Fact label={t.took}>
          <Elapsed from={run.started_at} to={run.ended_at} />
        </Fact>
        {waited > 1_000 && (
          <Fact label={t.waited}>
            <Span ms={waited} />
          </Fact>
        )}
        {run.host && (
          <Fact label={t.where}>
            {run.host}
            {run.pid ? `, ${t.process(run.pid)}` : ''}
          </Fact>
        )}
        {used > 0 && (
          <Fact label={t.tokens}>
            {number(run.input_tokens ?? 0)} {t.input}, {number(run.output_tokens ?? 0)}{' '}
            {t.output_tokens}
            {(run.cached_tokens ?? 0) > 0 && `, ${number(run.cached_tokens ?? 0)} ${t.cached}`}
          </Fact>
        )}
        {(run.cost_micros ?? 0) > 0 && (
          <Fact label={t.cost}>
            <Money micros={run.cost_micros ?? 0} />
          </Fact>
        )}
      </Facts>
      {(run.why || isUnanswered(run)) && (
        <p className="border-warn bg-warn-wash user-text mt-3 rounded-md border px-3 py-2 text-sm">
          {words(run.why ?? '') || t.unanswered}
        </p>
      )}
      <Section
        title={t.output}
        actions={
          hasTools && (
            <Button look="quiet" onClick={() => setOpen(!open)}>
              {open ? t.fold : t.unfold}
            </Button>
          )
        }
      >
        {blocks.length === 0 && loading && <Loading />}
        {blocks.length === 0 && !loading && !error && (
          <p className="text-soft text-sm">{isRunning ? t.no_output : t.said_nothing}</p>
        )}
        {blocks.length > 0 && (
          <div role="log" aria-label={t.output} className="flex flex-col gap-3">
            {blocks.map((block, i) => (
              <Shown key={i} block={block} open={open} />
            ))}
          </div>
        )}
        {error && <ErrorBox error={error} again={again} />}
        {(!isRunning || isCut) && <Whole run={run} left_out={isCut} />}
        <div ref={end} className="h-px" />
      </Section>
    </Page>
  );
}

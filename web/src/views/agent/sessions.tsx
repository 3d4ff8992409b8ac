// The sessions of an agent: what each does, follows and has to answer.

import { useState } from 'react';

import { call } from '../../api/client.ts';
import type { Session } from '../../api/shapes.ts';
import { newestFirst, statusOfRun } from '../../log/runs.ts';
import { useItems, useRuns } from '../../log/snapshots.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, Question } from '../../parts/dialog.tsx';
import { ErrorBox } from '../../parts/boxes.tsx';
import { Field } from '../../parts/field.tsx';
import { Key } from '../../parts/key.tsx';
import { PostName } from '../../parts/names.tsx';
import { Fact, Facts, Row, Rows, Section } from '../../parts/rows.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { StopRun } from '../run/stop.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { useText } from '../../text/text.ts';
import { agentText } from '../../text/views/agent.ts';

function Follows({ session }: { session: Session }) {
  const t = useText(agentText);
  const [error, setError] = useState<unknown>();
  const [open, setOpen] = useState(false);
  if (session.followed_posts.length === 0) return null;
  const unfollow = (post: string) =>
    call('PATCH /api/sessions/{id}', { path: { id: session.id }, body: { remove: [post] } }).catch(
      setError,
    );
  return (
    <details className="w-full text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-soft hover:text-ink w-fit cursor-pointer">
        {t.follows(session.followed_posts.length)}
      </summary>
      <ul className="pt-1">
        {(open ? session.followed_posts : []).map((post) => (
          <li key={post} className="flex items-center gap-2">
            <span className="min-w-0 grow truncate">
              <PostName id={post} />
            </span>
            <Button look="quiet" icon="close" aria-label={t.unfollow} onClick={() => void unfollow(post)} />
          </li>
        ))}
      </ul>
      {error !== undefined && <ErrorBox error={error} />}
    </details>
  );
}

function Skipped({ session }: { session: string }) {
  const t = useText(agentText);
  const { skipped } = useItems(session);
  const [error, setError] = useState<unknown>();
  if (skipped.length === 0) return null;
  const retry = (item: string) =>
    call('POST /api/sessions/{id}/items/{item}/retry', { path: { id: session, item } }).catch(
      setError,
    );
  return (
    <ul className="w-full">
      {skipped.map((item) => (
        <li key={item.source_id} className="flex flex-wrap items-center gap-2 text-sm">
          <Status is="skipped" />
          <span className="min-w-0 grow truncate">
            <PostName id={item.post_id} />
          </span>
          <Button onClick={() => void retry(item.source_id)}>{t.retry}</Button>
        </li>
      ))}
      {error !== undefined && <ErrorBox error={error} />}
    </ul>
  );
}

function SessionRow({ session, marked }: { session: Session; marked: boolean }) {
  const t = useText(agentText);
  const { runs } = useRuns(session.id);
  const { pending } = useItems(session.id);
  const [asking, setAsking] = useState(false);
  const last = runs.toSorted(newestFirst)[0];
  const isRunning = last?.status === 'running';
  // What a run answers now does not wait any more.
  const waits = pending.filter(
    (item) => !isRunning || !last.items.includes(item.source_id),
  ).length;
  return (
    <Row id={session.id} marked={marked}>
      <span className="flex min-w-32 grow items-center gap-2 font-medium">
        <bdi className="user-text">{session.name}</bdi>
        <Status is={isRunning ? statusOfRun(last) : waits > 0 ? 'waiting' : session.status} />
      </span>
      <span className="flex items-center gap-1">
        {isRunning && <StopRun run={last} />}
        {!session.is_default && (
          <Button
            look="quiet"
            icon="trash"
            aria-label={t.delete_session(session.name)}
            onClick={() => setAsking(true)}
          />
        )}
      </span>
      <div className="w-full">
        <Facts>
          <Fact label={t.last_run}>
            {last ? (
              <Link to={paths.run(session.id, last.id)} className="hover:text-accent hover:underline">
                {!isRunning && <Status is={statusOfRun(last)} />} <Time at={last.started_at} />
              </Link>
            ) : (
              t.no_run
            )}
          </Fact>
          {waits > 0 && <span className="text-warn">{t.waits(waits)}</span>}
          <Fact label={t.conversation}>
            {session.claude_session_id ? (
              <code className="font-mono text-xs select-all">{session.claude_session_id}</code>
            ) : (
              t.no_conversation
            )}
          </Fact>
          <Key of={`session/${session.id}`} />
        </Facts>
      </div>
      <Follows session={session} />
      <Skipped session={session.id} />
      <Question
        open={asking}
        onClose={() => setAsking(false)}
        title={t.delete_session(session.name)}
        about={t.delete_session_about}
        yes={t.delete}
        act={() => call('DELETE /api/sessions/{id}', { path: { id: session.id } })}
      />
    </Row>
  );
}

function NewSession({ agent, onClose }: { agent: string; onClose: () => void }) {
  const t = useText(agentText);
  const [name, setName] = useState('');
  const [error, setError] = useState<unknown>();
  const make = async () => {
    setError(undefined);
    try {
      await call('POST /api/agents/{id}/sessions', { path: { id: agent }, body: { name } });
      onClose();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <Field
        label={t.session_name}
        about={t.session_name_about}
        value={name}
        maxLength={20}
        required
        autoFocus
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
      {error !== undefined && <ErrorBox error={error} />}
      <div className="mt-4 flex justify-end">
        <Button look="main" type="submit" disabled={!name}>
          {t.make_session}
        </Button>
      </div>
    </form>
  );
}

export function Sessions(props: { agent: string; sessions: Session[]; marked: string }) {
  const t = useText(agentText);
  const [making, setMaking] = useState(false);
  const first = (one: Session) => (one.is_default ? 0 : 1);
  const sorted = props.sessions.toSorted((a, b) => first(a) - first(b));
  return (
    <Section
      title={t.sessions}
      actions={
        <Button icon="plus" onClick={() => setMaking(true)}>
          {t.new_session}
        </Button>
      }
    >
      <Rows label={t.sessions}>
        {sorted.map((session) => (
          <SessionRow key={session.id} session={session} marked={session.id === props.marked} />
        ))}
      </Rows>
      <Dialog
        open={making}
        onClose={() => setMaking(false)}
        title={t.new_session}
        about={t.new_session_about}
      >
        <NewSession agent={props.agent} onClose={() => setMaking(false)} />
      </Dialog>
    </Section>
  );
}

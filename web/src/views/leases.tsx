// Who holds which lock since when, how that was judged, and who waits.

import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';

import { call } from '../api/client.ts';
import type { Lease } from '../api/shapes.ts';
import type { ViewProps } from '../views.ts';
import { source, useChange } from '../log/hooks.ts';
import { Pace } from '../log/pace.ts';
import { Empty, ErrorBox, Loading } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { Question } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Key } from '../parts/key.tsx';
import { Page } from '../parts/page.tsx';
import { useMark } from '../parts/rows.ts';
import { Fact, Facts, Row, Rows } from '../parts/rows.tsx';
import { Status } from '../parts/status.tsx';
import { Span, Time } from '../parts/time.tsx';
import { useNoticeWords } from '../text/notices.ts';
import { useText } from '../text/text.ts';
import { leasesText } from '../text/views/leases.ts';

// A verdict also changes because nothing happens: silence is no event.
const look_every_ms = 5_000;
const read_again_ms = 1_000;

// In the order in which they will get it.
function Waiters({ lease }: { lease: Lease }) {
  const t = useText(leasesText);
  if (lease.waiters.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="text-warn w-fit cursor-pointer">{t.waiting(lease.waiting)}</summary>
      <ol className="text-soft list-decimal pl-6">
        {lease.waiters.map((waiter, i) => (
          <li key={i}>
            <bdi className="user-text">{waiter.owner || t.nobody}</bdi>, {waiter.host}
            {waiter.pid > 0 && `, ${t.process(waiter.pid)}`}, <Time at={waiter.since} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function LeaseRow(props: { lease: Lease; marked: boolean; onBreak: (lease: Lease) => void }) {
  const t = useText(leasesText);
  const words = useNoticeWords();
  const { lease } = props;
  return (
    <Row marked={props.marked}>
      <span className="flex min-w-40 grow flex-wrap items-center gap-2">
        <bdi className="user-text font-mono text-sm font-medium">{lease.name}</bdi>
        <Status is={lease.verdict} />
      </span>
      <Button look="danger" onClick={() => props.onBreak(lease)}>
        {t.break}
      </Button>
      <div className="flex w-full flex-col gap-0.5">
        <Facts>
          <Fact label={t.holder}>
            <bdi>{lease.owner || t.nobody}</bdi>
          </Fact>
          <Fact label={t.since}>
            <Time at={lease.granted_at} />
          </Fact>
          <Fact label={t.until}>
            <Span ms={lease.hold_ms} />
          </Fact>
          {lease.command && (
            <Fact label={t.doing}>
              <code className="font-mono text-xs">{lease.command}</code>
            </Fact>
          )}
          <Fact label={t.where}>
            {lease.host}
            {lease.pid > 0 && `, ${t.process(lease.pid)}`}
          </Fact>
          <Fact label={t.token}>{lease.token}</Fact>
          <Key of={lease.key} />
        </Facts>
        <p className="text-soft user-text text-sm">
          <span className="text-faint text-xs">{t.evidence}</span> {words(lease.why)}; {t.heard}{' '}
          <Time at={lease.heard_at} />
          {!lease.visible && lease.verdict !== 'live' && `. ${t.unseen}`}
        </p>
        <Waiters lease={lease} />
      </div>
    </Row>
  );
}

// What the log tells of locks is read again, together with all that comes within a second: the
// verdicts are the hub's.
function useLeases() {
  const query = useQuery({
    queryKey: ['leases'],
    queryFn: async ({ signal }) => {
      await source.opened();
      return call('GET /api/leases', {}, signal);
    },
    refetchInterval: (query) => (query.state.data?.data.length ? look_every_ms : false),
  });
  const { refetch, isFetched } = query;
  // What is under way may have been answered before the change: it is asked anew.
  const pace = useMemo(() => new Pace(() => refetch(), read_again_ms), [refetch]);
  useEffect(() => () => pace.end(), [pace]);
  const comeBack = useCallback(() => {
    if (source.state === 'live' && isFetched) pace.ask();
  }, [pace, isFetched]);
  useChange('locks', pace.ask);
  useChange('epoch', pace.ask);
  useChange('stream', comeBack);
  return query;
}

export default function Leases(_: ViewProps) {
  const t = useText(leasesText);
  const query = useLeases();
  const { refetch } = query;
  const [filter, setFilter] = useState('');
  const [breaking, setBreaking] = useState<Lease | undefined>();
  const [why, setWhy] = useState('');
  const all = query.data?.data ?? [];
  const wanted = filter.toLowerCase();
  const shown = all.filter((lease) =>
    [lease.name, lease.owner, lease.host, lease.command].some((text) =>
      text.toLowerCase().includes(wanted),
    ),
  );
  // What was begun about another lock is not the reason for this one.
  const ask = (lease: Lease) => {
    setWhy('');
    setBreaking(lease);
  };
  const marked = useMark(shown.map((lease) => lease.key), t);
  return (
    <Page title={t.title} about={t.about} wide>
      {query.isPending && <Loading />}
      {query.error && <ErrorBox error={query.error} again={() => void refetch()} />}
      {query.data && all.length === 0 && (
        <Empty title={t.none}>
          <p>{t.none_about}</p>
        </Empty>
      )}
      {all.length > 0 && (
        <>
          <div className="max-w-sm pb-3">
            <Field
              label={t.filter}
              type="search"
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
            />
          </div>
          <Rows label={t.title}>
            {shown.map((lease) => (
              <LeaseRow key={lease.key} lease={lease} marked={lease.key === marked} onBreak={ask} />
            ))}
          </Rows>
        </>
      )}
      <Question
        open={breaking !== undefined}
        onClose={() => setBreaking(undefined)}
        title={t.break_lock(breaking?.name ?? '')}
        about={t.break_about(breaking?.owner || `${breaking?.host ?? ''} ${breaking?.pid ?? ''}`)}
        yes={t.break}
        act={async () => {
          const { name, token } = breaking!;
          const body = { name, token, ...(why ? { why } : {}) };
          await call('POST /api/leases/break', { body });
          await refetch();
        }}
      >
        <Field
          label={t.why}
          value={why}
          autoFocus
          maxLength={500}
          onChange={(event) => setWhy(event.target.value)}
        />
      </Question>
    </Page>
  );
}

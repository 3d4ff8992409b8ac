// The keys of an agent. A secret is told once, when its key is made; later only its beginning.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import type { Key as KeyShape } from '../../api/shapes.ts';
import { ErrorBox, Loading } from '../../parts/boxes.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, Question } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Key } from '../../parts/key.tsx';
import { Facts, Row, Rows, Section } from '../../parts/rows.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/text.ts';
import { agentText } from '../../text/views/agent.ts';

function NewKey({ agent, onMade }: { agent: string; onMade: () => void }) {
  const t = useText(agentText);
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const [error, setError] = useState<unknown>();
  const make = async () => {
    setError(undefined);
    try {
      const body = name ? { name } : {};
      const made = await call('POST /api/agents/{id}/keys', { path: { id: agent }, body });
      setSecret(made.key);
      onMade();
    } catch (failure) {
      setError(failure);
    }
  };
  if (secret) return <Secret text={secret} about={t.key_once} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <Field
        label={t.key_name}
        value={name}
        maxLength={100}
        autoFocus
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
      {error !== undefined && <ErrorBox error={error} />}
      <div className="mt-4 flex justify-end">
        <Button look="main" type="submit">
          {t.new_key}
        </Button>
      </div>
    </form>
  );
}

export function Keys({ agent }: { agent: string }) {
  const t = useText(agentText);
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<KeyShape | undefined>();
  const query = useQuery({
    queryKey: ['keys', agent],
    queryFn: ({ signal }) => call('GET /api/agents/{id}/keys', { path: { id: agent } }, signal),
  });
  // Tokens of runs are the worker's affair: they come and go with the runs.
  const keys = query.data?.data.filter((key) => key.kind === 'key') ?? [];
  const sorted = keys.toSorted((a, b) => (a.status < b.status ? -1 : a.status > b.status ? 1 : 0));
  return (
    <Section
      title={t.keys}
      actions={
        <Button icon="key" onClick={() => setMaking(true)}>
          {t.new_key}
        </Button>
      }
    >
      {query.isPending && <Loading />}
      {query.error && <ErrorBox error={query.error} again={() => void query.refetch()} />}
      {query.data && keys.length === 0 && <p className="text-soft text-sm">{t.no_key}</p>}
      {keys.length > 0 && (
        <Rows label={t.keys}>
          {sorted.map((key) => (
            <Row key={key.id}>
              <span className="flex min-w-32 grow items-center gap-2">
                <bdi className="user-text font-medium">{key.name || key.prefix}</bdi>
                <Status is={key.status} />
              </span>
              <Facts>
                <code className="font-mono text-xs">{key.prefix}…</code>
                <Time at={key.created_at} />
                <Key of={`credential/${key.id}`} />
              </Facts>
              {key.status === 'active' && (
                <Button look="danger" onClick={() => setRevoking(key)}>
                  {t.revoke}
                </Button>
              )}
            </Row>
          ))}
        </Rows>
      )}
      <Dialog open={making} onClose={() => setMaking(false)} title={t.new_key}>
        <NewKey agent={agent} onMade={() => void query.refetch()} />
      </Dialog>
      <Question
        open={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={t.revoke_key(revoking?.name || (revoking?.prefix ?? ''))}
        about={t.revoke_key_about}
        yes={t.revoke}
        act={async () => {
          await call('DELETE /api/keys/{id}', { path: { id: revoking!.id } });
          await query.refetch();
        }}
      />
    </Section>
  );
}

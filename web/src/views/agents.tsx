// All agents: who they are, and whether they work now.

import { useState } from 'react';

import { call } from '../api/client.ts';
import type { Agent } from '../api/shapes.ts';
import type { ViewProps } from '../views.ts';
import { useShortcuts } from '../keyboard.ts';
import { useSubjects } from '../log/hooks.ts';
import { statusOfAgent } from '../log/runs.ts';
import { useAgentStates, useAgents } from '../log/snapshots.ts';
import { Empty, ErrorBox, Loading } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Key } from '../parts/key.tsx';
import { AgentName } from '../parts/names.tsx';
import { Page } from '../parts/page.tsx';
import { useMark } from '../parts/rows.ts';
import { Fact, Facts, Row, Rows } from '../parts/rows.tsx';
import { Secret } from '../parts/secret.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { useNoticeWords } from '../text/notices.ts';
import { useText } from '../text/text.ts';
import { agentsText } from '../text/views/agents.ts';
import { AgentFields, changesOf, draftOf, useDraft } from './agent/form.tsx';

function AgentRow({ agent, marked }: { agent: Agent; marked: boolean }) {
  const t = useText(agentsText);
  const words = useNoticeWords();
  const sessions = useSubjects('session', `agent/${agent.id}`);
  const running = sessions.filter((session) => session.status === 'running').length;
  return (
    <Row marked={marked}>
      <span className="min-w-32 grow truncate font-medium sm:basis-32" title={agent.name}>
        <AgentName id={agent.id} />
      </span>
      <span className="sm:w-32" title={(running === 0 && words(agent.state_why ?? '')) || undefined}>
        <Status is={statusOfAgent(agent, running > 0)} />
      </span>
      <Facts>
        <span className="sm:w-16">{agent.type}</span>
        <span className="user-text truncate empty:hidden sm:w-32 sm:empty:inline" title={agent.model}>
          {agent.model}
        </span>
        <span className="sm:w-36">
          {t.sessions(sessions.length)}
          {running > 0 && ` · ${t.running(running)}`}
        </span>
        <span className="empty:hidden sm:w-28 sm:empty:inline">
          {agent.last_seen && !agent.online && (
            <Fact label={t.seen}>
              <Time at={agent.last_seen} />
            </Fact>
          )}
        </span>
        <span className="min-w-0 truncate sm:w-32">
          <Key of={`agent/${agent.id}`} />
        </span>
      </Facts>
    </Row>
  );
}

function NewAgent({ onMade }: { onMade: (made: Agent & { key: string }) => void }) {
  const t = useText(agentsText);
  const { draft, set } = useDraft({ type: 'claude' });
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const make = async () => {
    setBusy(true);
    setError(undefined);
    try {
      // Of what was left as it is, the hub knows better.
      const chosen = changesOf(draft, { ...draftOf({}), type: '', permission_mode: '' });
      onMade(await call('POST /api/keys', { body: { name: draft.name.trim(), ...chosen } }));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <AgentFields draft={draft} set={set} begin />
      {error !== undefined && <ErrorBox error={error} />}
      <div className="mt-4 flex justify-end">
        <Button look="main" type="submit" disabled={busy || !draft.name.trim()}>
          {t.make}
        </Button>
      </div>
    </form>
  );
}

export default function Agents({ query }: ViewProps) {
  const t = useText(agentsText);
  const { agents, loading, error, again } = useAgents();
  useAgentStates();
  const [making, setMaking] = useState(query.has('new'));
  const [made, setMade] = useState<(Agent & { key: string }) | undefined>();
  const close = () => {
    setMaking(false);
    setMade(undefined);
  };
  const open = { words: t.open, act: (id: string) => navigate(paths.agent(id)) };
  const marked = useMark(
    agents.map((agent) => agent.id),
    { next: t.next, previous: t.previous, open },
  );
  useShortcuts([{ keys: 'n', words: t.new_agent, act: () => setMaking(true) }]);
  return (
    <Page
      title={t.title}
      wide
      actions={
        <Button look="main" icon="plus" onClick={() => setMaking(true)}>
          {t.new_agent}
        </Button>
      }
    >
      {error && <ErrorBox error={error} again={again} />}
      {agents.length > 0 && (
        <Rows label={t.title}>
          {agents.map((agent) => (
            <AgentRow key={agent.id} agent={agent} marked={agent.id === marked} />
          ))}
        </Rows>
      )}
      {agents.length === 0 && loading && <Loading />}
      {agents.length === 0 && !loading && !error && (
        <Empty title={t.none}>
          <p>{t.none_about}</p>
        </Empty>
      )}
      <Dialog
        open={making}
        onClose={close}
        title={made ? t.made(made.name) : t.new_agent}
        about={made ? t.key_use : t.new_agent_about}
        wide
      >
        {made ? (
          <>
            <Secret text={made.key} about={t.key_once} />
            <div className="mt-4 flex justify-end">
              <Button look="main" onClick={() => navigate(paths.agent(made.id))}>
                {t.open}
              </Button>
            </div>
          </>
        ) : (
          <NewAgent onMade={setMade} />
        )}
      </Dialog>
    </Page>
  );
}

// One agent: its sessions, what it used, how it works, its keys.

import { useEffect, useState } from 'react';

import { call } from '../api/client.ts';
import type { ViewProps } from '../views.ts';
import { useSubject } from '../log/hooks.ts';
import { statusOfAgent } from '../log/runs.ts';
import { useAgentStates, useSessions } from '../log/snapshots.ts';
import { Empty, ErrorBox, Loading } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { Question } from '../parts/dialog.tsx';
import { Key } from '../parts/key.tsx';
import { Page } from '../parts/page.tsx';
import { Fact } from '../parts/rows.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { paths } from '../paths.ts';
import { Link, navigate } from '../router.tsx';
import { useNoticeWords } from '../text/notices.ts';
import { useText } from '../text/text.ts';
import { agentText } from '../text/views/agent.ts';
import { Keys } from './agent/keys.tsx';
import { Sessions } from './agent/sessions.tsx';
import { AgentSettings } from './agent/settings.tsx';
import { Usage } from './agent/usage.tsx';

export default function AgentView({ params, hash }: ViewProps) {
  const t = useText(agentText);
  const words = useNoticeWords();
  const id = params.id ?? '';
  const { sessions, loading, error, again } = useSessions(id);
  const agent = useSubject('agent', id);
  useAgentStates();
  const [asking, setAsking] = useState(false);
  const isThere = sessions.length > 0;
  useEffect(() => {
    if (isThere && hash) document.getElementById(hash)?.scrollIntoView({ block: 'center' });
  }, [isThere, hash]);
  if (!agent && loading) return <Loading />;
  if (!agent && error) return <ErrorBox error={error} again={again} />;
  if (!agent) {
    return (
      <Empty alone title={t.none}>
        <p>{t.none_about}</p>
        <Link to={paths.agents} className="text-accent underline">
          {t.all_agents}
        </Link>
      </Empty>
    );
  }
  const isRunning = sessions.some((session) => session.status === 'running');
  return (
    <Page
      title={agent.name}
      heading={<bdi>{agent.name}</bdi>}
      about={
        <>
          <Status is={statusOfAgent(agent, isRunning)} />
          {!isRunning && agent.state_why && <span className="user-text">{words(agent.state_why)}</span>}
          <span>{agent.type}</span>
          {agent.last_seen && !agent.online && (
            <Fact label={t.seen}>
              <Time at={agent.last_seen} />
            </Fact>
          )}
          <Key of={`agent/${id}`} />
        </>
      }
      actions={
        <>
          <Button onClick={() => navigate(`${paths.runs}?agent=${id}`)}>{t.runs}</Button>
          <Button look="danger" icon="trash" onClick={() => setAsking(true)}>
            {t.delete}
          </Button>
        </>
      }
    >
      {error && <ErrorBox error={error} again={again} />}
      <Sessions agent={id} sessions={sessions} marked={hash} />
      <Usage agent={agent} />
      <AgentSettings key={id} agent={agent} />
      <Keys agent={id} />
      <Question
        open={asking}
        onClose={() => setAsking(false)}
        title={t.delete_agent(agent.name)}
        about={t.delete_agent_about}
        yes={t.delete}
        act={async () => {
          await call('DELETE /api/agents/{id}', { path: { id } });
          navigate(paths.agents);
        }}
      />
    </Page>
  );
}

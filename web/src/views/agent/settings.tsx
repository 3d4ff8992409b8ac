// What can be changed about an agent, and saved in one step.

import { useState } from 'react';

import { call } from '../../api/client.ts';
import type { Agent } from '../../api/shapes.ts';
import { take } from '../../log/fold.ts';
import { store } from '../../log/hooks.ts';
import { ErrorBox } from '../../parts/boxes.tsx';
import { Button } from '../../parts/button.tsx';
import { Section } from '../../parts/rows.tsx';
import { useText } from '../../text/text.ts';
import { agentText } from '../../text/views/agent.ts';
import { AgentFields, changesOf, draftOf } from './form.tsx';

export function AgentSettings({ agent }: { agent: Agent }) {
  const t = useText(agentText);
  const now = draftOf(agent);
  const [before, setBefore] = useState(now);
  const [draft, setDraft] = useState(now);
  const [saved, setSaved] = useState(false);
  const [error, setError] = useState<unknown>();
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before);
  const isOld = JSON.stringify(now) !== JSON.stringify(before);
  // Who has changed nothing sees what others change.
  if (isOld && !isChanged) {
    setBefore(now);
    setDraft(now);
  }
  const save = async () => {
    setError(undefined);
    try {
      const name = draft.name.trim();
      const body = { ...changesOf(draft, before), ...(name !== before.name ? { name } : {}) };
      take(store, 'agent', await call('PATCH /api/agents/{id}', { path: { id: agent.id }, body }));
      setBefore({ ...draft, name });
      setDraft({ ...draft, name });
      setSaved(true);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Section title={t.settings}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <AgentFields
          draft={draft}
          set={(change) => {
            setSaved(false);
            setDraft({ ...draft, ...change });
          }}
        />
        {error !== undefined && <ErrorBox error={error} />}
        <div className="mt-4 flex flex-wrap items-center justify-end gap-3">
          <span role="status" className="text-good text-sm">
            {saved && !isChanged ? t.saved : ''}
          </span>
          {isOld && isChanged && <span className="text-warn text-sm">{t.changed_meanwhile}</span>}
          <Button look="main" type="submit" disabled={!isChanged || !draft.name.trim()}>
            {t.save}
          </Button>
        </div>
      </form>
    </Section>
  );
}

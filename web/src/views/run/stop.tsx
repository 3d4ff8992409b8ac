// Asks a run to end. What it has not answered stays open, so this is asked about first.

import { useState } from 'react';

import { call } from '../../api/client.ts';
import type { LiveRun } from '../../log/subjects.ts';
import { Button } from '../../parts/button.tsx';
import { Question } from '../../parts/dialog.tsx';
import { useSessionName } from '../../log/hooks.ts';
import { useText } from '../../text/text.ts';
import { runText } from '../../text/views/run.ts';

export function StopRun({ run }: { run: LiveRun }) {
  const t = useText(runText);
  const name = useSessionName(run.session_id, run.agent_id);
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button icon="stop" disabled={run.stop_asked} onClick={() => setAsking(true)}>
        {run.stop_asked ? t.stopping : t.stop}
      </Button>
      <Question
        open={asking}
        onClose={() => setAsking(false)}
        title={t.stop_run(name)}
        about={t.stop_run_about}
        yes={t.stop}
        act={() =>
          call('POST /api/sessions/{id}/runs/{run}/stop', {
            path: { id: run.session_id, run: run.id },
          })
        }
      />
    </>
  );
}

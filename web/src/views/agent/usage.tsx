// What an agent has used today, against its budget.

import type { Agent, Tally } from '../../api/shapes.ts';
import { useTallies } from '../../log/snapshots.ts';
import { moneyWords, useNumber } from '../../parts/amount.tsx';
import { ErrorBox } from '../../parts/boxes.tsx';
import { Section } from '../../parts/rows.tsx';
import { useToday } from '../../parts/time.tsx';
import { useText } from '../../text/text.ts';
import { agentText } from '../../text/views/agent.ts';

interface MeterProps {
  label: string;
  used: number;
  limit: number;
  words: (n: number) => string;
}

function Meter({ label, used, limit, words }: MeterProps) {
  const t = useText(agentText);
  const share = limit > 0 ? Math.min(1, used / limit) : 0;
  const isUsedUp = limit > 0 && used >= limit;
  return (
    <div className="border-line min-w-40 grow rounded-md border px-3 py-2">
      <div className="text-soft text-xs">{label}</div>
      <div className="flex items-baseline gap-1.5">
        <span className="text-lg font-semibold tabular-nums">{words(used)}</span>
        <span className="text-faint text-sm tabular-nums">
          {limit > 0 ? t.of(words(limit)) : t.unlimited}
        </span>
      </div>
      {limit > 0 && (
        <div
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          className="bg-hover mt-1 h-1 overflow-hidden rounded-full"
        >
          <div
            className={`h-full ${isUsedUp ? 'bg-bad' : 'bg-accent-ground'}`}
            style={{ width: `${share * 100}%` }}
          />
        </div>
      )}
      {isUsedUp && <p className="text-bad pt-1 text-xs">{t.used_up}</p>}
    </div>
  );
}

const micros_per_cent = 10_000;

export function Usage({ agent }: { agent: Agent }) {
  const t = useText(agentText);
  const number = useNumber();
  const day = useToday();
  const { tallies, error, again } = useTallies(agent.id, day);
  const sum = (of: (row: Tally) => number) =>
    tallies.reduce((total, row) => total + (of(row) || 0), 0);
  const failed = sum((row) => row.failed);
  return (
    <Section title={t.usage}>
      {error && <ErrorBox error={error} again={again} />}
      <div className="flex flex-wrap gap-2">
        <Meter
          label={failed > 0 ? `${t.runs_word} · ${failed} ${t.failed}` : t.runs_word}
          used={sum((row) => row.runs)}
          limit={agent.runs_per_day ?? 0}
          words={number}
        />
        <Meter
          label={t.money}
          used={sum((row) => row.cost_micros)}
          limit={(agent.cents_per_day ?? 0) * micros_per_cent}
          words={moneyWords}
        />
        <div className="border-line min-w-40 grow rounded-md border px-3 py-2">
          <div className="text-soft text-xs">{t.tokens}</div>
          <div className="text-lg font-semibold tabular-nums">
            {number(sum((row) => row.input_tokens + row.output_tokens))}
          </div>
        </div>
      </div>
    </Section>
  );
}

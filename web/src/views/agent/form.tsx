// How an agent works: what is asked when one is made, and what can be changed later.

import { useId, useState } from 'react';

import type { Agent } from '../../api/shapes.ts';
import { Choice, Field, fieldLook } from '../../parts/field.tsx';
import { agentText } from '../../text/views/agent.ts';
import { useText } from '../../text/text.ts';

// As it stands in the fields: all of it text.
export interface Draft {
  name: string;
  type: string;
  working_directory: string;
  model: string;
  permission_mode: string;
  command: string;
  environment: string;
  worktree: boolean;
  minutes_max: string;
  runs_per_day: string;
  cents_per_day: string;
  session_runs_per_day: string;
  session_cents_per_day: string;
}

const types = ['claude', 'codex', 'gemini', 'command', 'demo'] as const;
const permissions = ['read', 'edit', 'all'] as const;
const budgets = [
  'runs_per_day',
  'cents_per_day',
  'session_runs_per_day',
  'session_cents_per_day',
] as const;

const numberText = (n: number | undefined) => (n ? String(n) : '');

export function draftOf(agent: Partial<Agent>): Draft {
  return {
    name: agent.name ?? '',
    type: agent.type ?? 'claude',
    working_directory: agent.working_directory ?? '',
    model: agent.model ?? '',
    permission_mode: agent.permission_mode ?? 'read',
    command: (agent.command ?? []).join('\n'),
    environment: (agent.environment ?? []).join(' '),
    worktree: agent.worktree ?? false,
    minutes_max: numberText(agent.minutes_max),
    runs_per_day: numberText(agent.runs_per_day),
    cents_per_day: numberText(agent.cents_per_day),
    session_runs_per_day: numberText(agent.session_runs_per_day),
    session_cents_per_day: numberText(agent.session_cents_per_day),
  };
}

// What the hub is to be told: what differs from `before`.
export function changesOf(draft: Draft, before: Draft) {
  const changed = <N extends keyof Draft>(name: N) => draft[name] !== before[name];
  const numbers = ['minutes_max', ...budgets] as const;
  return {
    ...(changed('type') ? { type: draft.type } : {}),
    ...(changed('working_directory') ? { working_directory: draft.working_directory } : {}),
    ...(changed('model') ? { model: draft.model } : {}),
    ...(changed('permission_mode') ? { permission_mode: draft.permission_mode } : {}),
    ...(changed('command') ? { command: draft.command.split('\n').filter(Boolean) } : {}),
    ...(changed('environment')
      ? { environment: draft.environment.split(/[\s,]+/).filter(Boolean) }
      : {}),
    ...(changed('worktree') ? { worktree: draft.worktree } : {}),
    ...Object.fromEntries(
      numbers
        .filter(changed)
        .map((name) => [name, Number(draft[name] || (name === 'minutes_max' ? 30 : 0))]),
    ),
  };
}

export function useDraft(agent: Partial<Agent>) {
  const [before] = useState(() => draftOf(agent));
  const [draft, setDraft] = useState(before);
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  return { before, draft, set };
}

interface Props {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  // In a dialog one begins to write at once.
  begin?: boolean;
}

export function AgentFields({ draft, set, begin = false }: Props) {
  const t = useText(agentText);
  const id = useId();
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field
        label={t.form.name}
        about={t.form.name_about}
        value={draft.name}
        maxLength={100}
        required
        autoFocus={begin}
        autoComplete="off"
        onChange={(event) => set({ name: event.target.value })}
      />
      <Choice
        label={t.form.type}
        value={draft.type}
        options={types.map((type) => [type, t.types[type]] as const)}
        onChange={(event) => set({ type: event.target.value })}
      />
      <Field
        label={t.form.directory}
        about={t.form.directory_about}
        value={draft.working_directory}
        spellCheck={false}
        onChange={(event) => set({ working_directory: event.target.value })}
      />
      <Choice
        label={t.form.permission}
        value={draft.permission_mode}
        options={permissions.map((mode) => [mode, t.permissions[mode]] as const)}
        onChange={(event) => set({ permission_mode: event.target.value })}
      />
      {draft.type === 'command' ? (
        <div className="flex flex-col gap-1 sm:col-span-2">
          <label htmlFor={id} className="text-sm font-medium">
            {t.form.command}
          </label>
          <textarea
            id={id}
            rows={3}
            spellCheck={false}
            className={`${fieldLook} font-mono`}
            aria-describedby={`${id}-about`}
            value={draft.command}
            onChange={(event) => set({ command: event.target.value })}
          />
          <p id={`${id}-about`} className="text-faint text-xs">
            {t.form.command_about}
          </p>
        </div>
      ) : (
        <Field
          label={t.form.model}
          about={t.form.model_about}
          value={draft.model}
          spellCheck={false}
          onChange={(event) => set({ model: event.target.value })}
        />
      )}
      <Field
        label={t.form.minutes}
        about={t.form.minutes_about}
        type="number"
        min={1}
        value={draft.minutes_max}
        onChange={(event) => set({ minutes_max: event.target.value })}
      />
      <Field
        label={t.form.environment}
        about={t.form.environment_about}
        value={draft.environment}
        spellCheck={false}
        onChange={(event) => set({ environment: event.target.value })}
      />
      <label className="flex items-center gap-2 self-center text-sm">
        <input
          type="checkbox"
          className="accent-accent-ground size-4"
          checked={draft.worktree}
          onChange={(event) => set({ worktree: event.target.checked })}
        />
        {t.form.worktree}
      </label>
      <fieldset className="sm:col-span-2">
        <legend className="text-sm font-medium">{t.form.budget}</legend>
        <p className="text-faint pb-1 text-xs">{t.form.budget_about}</p>
        <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
          {budgets.map((name) => (
            <Field
              key={name}
              label={t.form[name]}
              type="number"
              min={0}
              value={draft[name]}
              onChange={(event) => set({ [name]: event.target.value })}
            />
          ))}
        </div>
      </fieldset>
    </div>
  );
}

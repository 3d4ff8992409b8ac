// What the `@` menu offers for a text and a caret, and what choosing does. Pure: the menu shows it.

import type { Agent, Session } from '../api/shapes.ts';

export type Offer =
  | { kind: 'agent'; name: string; id: string; type: string }
  | { kind: 'session'; agent: string; name: string; status: string; is_default: boolean }
  | { kind: 'create'; agent: string; name: string };

export interface Asked {
  start: number; // Of the `@`.
  agent: string; // What is written of the agent's name …
  session: string | undefined; // … and, behind a slash, of the session's.
}

const name_chars_max = 100;
const offers_max = 8;
const word = /[\p{L}\p{N}_]/u;
export const session_name = /^[a-zA-Z0-9가-힣_-]{1,20}$/;

// The hub finds no mentions in code; so the menu does not offer any there.
function isInCode(before: string) {
  const fences = before.match(/^ {0,3}(```|~~~)/gm)?.length ?? 0;
  if (fences % 2 === 1) return true;
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return (line.match(/`/g)?.length ?? 0) % 2 === 1;
}

// The mention that is being written at the caret.
export function mentionAt(text: string, caret: number): Asked | undefined {
  const before = text.slice(0, caret);
  const start = before.lastIndexOf('@');
  if (start < 0) return undefined;
  const written = before.slice(start + 1);
  if (written.length > name_chars_max + 22 || written.includes('\n')) return undefined;
  // In mail@example an @ is no mention.
  if (start > 0 && word.test(before[start - 1]!)) return undefined;
  if (isInCode(before)) return undefined;
  const slash = written.indexOf('/');
  if (slash < 0) return { start, agent: written, session: undefined };
  const session = written.slice(slash + 1);
  if (session && !session_name.test(session)) return undefined;
  return { start, agent: written.slice(0, slash), session };
}

// Those that begin with the words first, then those that contain them.
function fitting<T>(all: readonly T[], nameOf: (one: T) => string, words: string): T[] {
  const wanted = words.toLowerCase();
  const begins = all.filter((one) => nameOf(one).toLowerCase().startsWith(wanted));
  const contains = all.filter((one) => nameOf(one).toLowerCase().indexOf(wanted) > 0);
  return [...begins, ...contains];
}

export function offersFor(
  asked: Asked,
  agents: readonly Agent[],
  sessionsOf: (agent_id: string) => readonly Session[],
): Offer[] {
  if (asked.session === undefined) {
    // After a space a name may go on, but only one that there is.
    if (/^\s/.test(asked.agent)) return [];
    return fitting(agents, (agent) => agent.name, asked.agent)
      .slice(0, offers_max)
      .map(({ id, name, type }) => ({ kind: 'agent', name, id, type }));
  }
  const agent = agents.find((one) => one.name.toLowerCase() === asked.agent.toLowerCase());
  if (!agent) return [];
  const wanted = asked.session;
  const all = sessionsOf(agent.id).toSorted(
    (a, b) => Number(b.is_default) - Number(a.is_default) || a.name.localeCompare(b.name),
  );
  const offers: Offer[] = fitting(all, (session) => session.name, wanted)
    .slice(0, offers_max)
    .map(({ name, status, is_default }) => ({
      kind: 'session',
      agent: agent.name,
      name,
      status,
      is_default,
    }));
  const isThere = all.some((session) => session.name.toLowerCase() === wanted.toLowerCase());
  if (session_name.test(wanted) && !isThere) {
    offers.push({ kind: 'create', agent: agent.name, name: wanted });
  }
  return offers;
}

export interface Edit {
  text: string;
  caret: number;
}

// The text after an offer was taken. `end` is what follows it: a space, or the slash to a session.
export function taking(text: string, caret: number, asked: Asked, offer: Offer, end: string): Edit {
  const mention = offer.kind === 'agent' ? `@${offer.name}` : `@${offer.agent}/${offer.name}`;
  const rest = text.slice(caret);
  const space = end === ' ' && /^\s/.test(rest) ? '' : end;
  const before = text.slice(0, asked.start) + mention + space;
  return { text: before + rest, caret: before.length };
}

// A slash right after a mention that was just taken goes to its session, not behind the space.
export function slashAfter(
  text: string,
  caret: number,
  agents: readonly Agent[],
): Edit | undefined {
  if (text[caret - 1] !== ' ') return undefined;
  const before = text.slice(0, caret - 1);
  const fits = agents.some((agent) =>
    before.toLowerCase().endsWith(`@${agent.name.toLowerCase()}`),
  );
  return fits ? { text: `${before}/${text.slice(caret)}`, caret } : undefined;
}

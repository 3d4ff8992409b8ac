// The log, page by page: of one key from its beginning, of everything from its end.

import { useInfiniteQuery } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import type { Event, Page } from '../../api/shapes.ts';
import { seqOf } from '../../log/subjects.ts';

export interface Filter {
  key: string;
  topic: string;
  agent: string;
}

const rows_wanted = 60;
const reads_max = 20;

// With a filter a page of the hub may be short, or empty: it is read on until there is something.
async function readPage(filter: Filter, cursor: string, signal: AbortSignal) {
  const rows: Event[] = [];
  let next: string | null = cursor;
  for (let i = 0; i < reads_max && rows.length < rows_wanted && next !== null; ++i) {
    const query = {
      limit: 200,
      cursor: next,
      topics: filter.topic,
      agents: filter.agent,
      ...(filter.key ? { key: filter.key } : { order: 'newest' }),
    };
    const page: Page<Event> = await call('GET /api/events', { query }, signal);
    rows.push(...page.data);
    next = page.next_cursor;
  }
  return { rows, next };
}

export function useLogPages(filter: Filter) {
  return useInfiniteQuery({
    queryKey: ['events', filter],
    queryFn: ({ pageParam, signal }) => readPage(filter, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
    // What comes later comes by the stream.
    staleTime: Infinity,
    gcTime: 0,
  });
}

export function isWanted(filter: Filter, event: Event) {
  if (filter.key && event.key !== filter.key && !event.key.startsWith(`${filter.key}/`)) return false;
  if (filter.topic && event.event.split('_')[0] !== filter.topic) return false;
  return !filter.agent || JSON.stringify(event).includes(filter.agent);
}

// Both in the order of the log, each event once.
export function joined(read: readonly Event[], heard: readonly Event[]): Event[] {
  const all = new Map<string, Event>();
  for (const event of read) all.set(event.event_id, event);
  for (const event of heard) all.set(event.event_id, event);
  return [...all.values()].sort((a, b) => seqOf(a.event_id) - seqOf(b.event_id));
}

const telling = ['title', 'content', 'output', 'name', 'command', 'reason', 'author_name'];

// In a few words, what an event says beside its type.
// What the hub says in sentences is said in `words`.
export function summaryOf(event: Event, words: (text: string) => string): string {
  const notice = event.notice as { text?: string } | undefined;
  const why = typeof event.why === 'string' ? words(event.why) : '';
  const remark = notice?.text ? words(notice.text) : '';
  const said = [event.verdict, remark, why, ...telling.map((name) => event[name])];
  const texts = said.filter((text) => typeof text === 'string' && text.trim() !== '') as string[];
  return texts
    .slice(0, 2)
    .map((text) => text.trim().split('\n')[0]?.slice(0, 160) ?? '')
    .join(' · ');
}

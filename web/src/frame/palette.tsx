// Everything by its name: pages, feeds, agents, sessions, posts that are known, and the search.

import * as Radix from '@radix-ui/react-dialog';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';

import { useSubjects } from '../log/hooks.ts';
import { useFeeds } from '../log/snapshots.ts';
import { Icon } from '../parts/icon.tsx';
import type { IconName } from '../parts/icon.tsx';
import { newestFirst, titleOf } from '../parts/post_row.tsx';
import { Veil } from '../parts/veil.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { feedText } from '../text/feed.ts';
import { frameText } from '../text/frame.ts';
import { paletteText } from '../text/palette.ts';
import { useText } from '../text/text.ts';

interface Place {
  to: string;
  words: string;
  about: string;
  icon: IconName;
}

const shown_max = 12;
const posts_max = 300;

// All words must be in it; the earlier the first one stands, the better.
export function rank(words: string, sought: string): number {
  const text = words.toLowerCase();
  let best = Infinity;
  for (const word of sought.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = text.indexOf(word);
    if (at < 0) return Infinity;
    best = Math.min(best, at);
  }
  return best === Infinity ? 0 : best;
}

function usePlaces(): Place[] {
  const t = useText(paletteText);
  const n = useText(frameText);
  const f = useText(feedText);
  const { feeds } = useFeeds();
  const agents = useSubjects('agent');
  const sessions = useSubjects('session');
  const posts = useSubjects('post');
  return useMemo(() => {
    const names = new Map(agents.map((agent) => [agent.id, agent.name]));
    const page = (to: string, words: string, icon: IconName) => ({
      to,
      words,
      about: t.page,
      icon,
    });
    return [
      page(paths.inbox, n.inbox, 'inbox'),
      ...feeds.map((feed) => ({
        to: paths.feed(feed.id),
        words: feed.name,
        about: t.feed,
        icon: 'feed' as const,
      })),
      ...agents.map((agent) => ({
        to: paths.agent(agent.id),
        words: agent.name,
        about: t.agent,
        icon: 'agent' as const,
      })),
      page(paths.agents, n.agents, 'agent'),
      page(paths.runs, n.runs, 'run'),
      page(paths.fleet, n.fleet, 'fleet'),
      page(paths.leases, n.leases, 'lease'),
      page(paths.events, n.events, 'events'),
      page(paths.search(), n.search, 'search'),
      page(paths.settings, n.settings, 'settings'),
      ...sessions
        .filter((session) => !session.is_default)
        .map((session) => ({
          to: paths.agent(session.agent_id),
          words: `${names.get(session.agent_id) ?? ''}/${session.name}`,
          about: t.session,
          icon: 'agent' as const,
        })),
      ...posts
        .toSorted(newestFirst)
        .slice(0, posts_max)
        .map((post) => ({
          to: paths.post(post.id),
          words: titleOf(post, f.untitled),
          about: t.post,
          icon: 'feed' as const,
        })),
    ];
  }, [t, n, f, feeds, agents, sessions, posts]);
}

export default function Palette({ onClose }: { onClose: () => void }) {
  const t = useText(paletteText);
  const id = useId();
  const places = usePlaces();
  const [words, setWords] = useState('');
  const [active, setActive] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const fitting = places
    .map((place, i) => ({ place, i, rank: rank(place.words, words) }))
    .filter((one) => one.rank < Infinity)
    .sort((a, b) => a.rank - b.rank || a.i - b.i)
    .slice(0, shown_max)
    .map((one) => one.place);
  if (words.trim()) {
    const to = paths.search(words.trim());
    fitting.push({ to, words: t.search_for(words.trim()), about: '', icon: 'search' });
  }
  const chosen = Math.min(active, fitting.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const go = (place: Place | undefined) => {
    if (!place) return;
    onClose();
    navigate(place.to);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') setActive((chosen + 1) % fitting.length);
    else if (event.key === 'ArrowUp') setActive((chosen + fitting.length - 1) % fitting.length);
    else if (event.key === 'Enter') go(fitting[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Veil />
        <Radix.Content
          aria-describedby={undefined}
          className={
            'border-line bg-raised fixed top-[10vh] left-1/2 z-50 flex max-h-[70vh] ' +
            'w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden ' +
            'rounded-lg border shadow-[0_12px_40px_var(--shadow)]'
          }
        >
          <Radix.Title className="sr-only">{t.title}</Radix.Title>
          <div className="border-line text-faint flex items-center gap-2 border-b px-3">
            <Icon name="search" />
            <input
              role="combobox"
              aria-expanded="true"
              aria-controls={id}
              aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
              aria-label={t.title}
              placeholder={t.placeholder}
              value={words}
              dir="auto"
              onChange={(event) => {
                setWords(event.target.value);
                setActive(0);
              }}
              onKeyDown={keyDown}
              className="text-ink h-11 grow bg-transparent text-lg outline-none!"
            />
          </div>
          <ul ref={list} id={id} role="listbox" aria-label={t.go} className="overflow-y-auto p-1.5">
            {fitting.map((place, i) => (
              <li
                key={place.to + place.words}
                id={`${id}-${i}`}
                role="option"
                aria-selected={i === chosen}
                onClick={() => go(place)}
                onMouseMove={() => setActive(i)}
                className={
                  'flex h-9 cursor-pointer items-center gap-2 rounded-md px-2 text-sm ' +
                  `${i === chosen ? 'bg-hover' : ''}`
                }
              >
                <span className="text-faint">
                  <Icon name={place.icon} />
                </span>
                <bdi className="min-w-0 grow truncate">{place.words}</bdi>
                <span className="text-faint text-xs">{place.about}</span>
              </li>
            ))}
          </ul>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

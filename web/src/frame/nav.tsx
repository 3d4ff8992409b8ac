// Where one can go. Sections are data: teams and workflows will be two more rows of `work`.

import { useState } from 'react';

import { logOut } from '../account.ts';
import type { Me } from '../api/shapes.ts';
import { useFeeds, useUnreadCounts } from '../log/snapshots.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import type { IconName } from '../parts/icon.tsx';
import { paths } from '../paths.ts';
import { Link, useAddress } from '../router.tsx';
import { frameText } from '../text/frame.ts';
import { useText } from '../text/text.ts';
import { NewFeed } from './new_feed.tsx';

interface Row {
  to: string;
  icon: IconName;
  words: 'agents' | 'runs' | 'fleet' | 'leases' | 'events' | 'settings';
}

const work: readonly Row[] = [
  { to: paths.agents, icon: 'agent', words: 'agents' },
  { to: paths.runs, icon: 'run', words: 'runs' },
  { to: paths.fleet, icon: 'fleet', words: 'fleet' },
];

const system: readonly Row[] = [
  { to: paths.leases, icon: 'lease', words: 'leases' },
  { to: paths.events, icon: 'events', words: 'events' },
  { to: paths.settings, icon: 'settings', words: 'settings' },
];

interface ItemProps {
  to: string;
  icon: IconName;
  words: string;
  unread?: number;
}

function Item({ to, icon, words, unread = 0 }: ItemProps) {
  const t = useText(frameText);
  const here = useAddress().pathname;
  const isHere = to === '/' ? here === '/' : here === to || here.startsWith(`${to}/`);
  return (
    <li>
      <Link
        to={to}
        aria-current={isHere ? 'page' : undefined}
        className={
          'flex h-8 items-center gap-2 rounded-md px-2 text-sm ' +
          (isHere ? 'bg-hover text-ink font-medium' : 'text-soft hover:bg-hover hover:text-ink')
        }
      >
        <Icon name={icon} />
        <bdi className="min-w-0 grow truncate">{words}</bdi>
        {unread > 0 && (
          <span
            aria-label={t.unread(unread)}
            className={
              'bg-accent-wash text-accent rounded-full px-1.5 text-xs leading-5 ' +
              'font-medium tabular-nums'
            }
          >
            {unread > 999 ? '999+' : unread}
          </span>
        )}
      </Link>
    </li>
  );
}

function Section({ title, rows }: { title: string; rows: readonly Row[] }) {
  const t = useText(frameText);
  return (
    <section>
      <h2 className="text-faint px-2 pt-4 pb-1 text-xs font-medium">{title}</h2>
      <ul className="flex flex-col gap-px">
        {rows.map((row) => (
          <Item key={row.to} to={row.to} icon={row.icon} words={t[row.words]} />
        ))}
      </ul>
    </section>
  );
}

export function Nav({ me, openPalette }: { me: Me; openPalette: () => void }) {
  const t = useText(frameText);
  const { feeds } = useFeeds();
  const counts = useUnreadCounts();
  const [making, setMaking] = useState(false);
  const unread = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return (
    <nav aria-label={t.navigation} className="flex h-full min-h-0 flex-col">
      <div className="flex h-12 shrink-0 items-center gap-2 px-4">
        <Link
          to={paths.inbox}
          className="flex items-center gap-2 text-lg font-semibold tracking-tight"
        >
          <Mark />
          Tyer
        </Link>
      </div>
      <div className="px-2">
        <button
          type="button"
          onClick={openPalette}
          className={
            'border-line bg-ground text-faint hover:border-line-strong flex h-8 w-full ' +
            'items-center gap-2 rounded-md border px-2 text-sm'
          }
        >
          <Icon name="search" />
          <span className="min-w-0 grow truncate text-left">{t.palette}</span>
          <kbd className="font-sans text-xs whitespace-nowrap">Ctrl K</kbd>
        </button>
      </div>
      <div className="min-h-0 grow overflow-y-auto px-2 pt-2 pb-4">
        <ul>
          <Item to={paths.inbox} icon="inbox" words={t.inbox} unread={unread} />
        </ul>
        <section>
          <div className="flex items-center pt-3 pb-1 pl-2">
            <h2 className="text-faint grow text-xs font-medium">{t.feeds}</h2>
            <Button
              look="quiet"
              icon="plus"
              className="h-6! w-6!"
              aria-label={t.new_feed}
              onClick={() => setMaking(true)}
            />
          </div>
          <ul className="flex flex-col gap-px">
            {feeds.map((feed) => (
              <Item
                key={feed.id}
                to={paths.feed(feed.id)}
                icon="feed"
                words={feed.name}
                unread={counts.get(feed.id) ?? 0}
              />
            ))}
          </ul>
        </section>
        <Section title={t.work} rows={work} />
        <Section title={t.system} rows={system} />
      </div>
      {me.logged_in && (
        <div className="border-line border-t p-2">
          <Button
            look="quiet"
            icon="logout"
            className="w-full justify-start! gap-2! px-2!"
            onClick={() => void logOut()}
          >
            {t.log_out}
          </Button>
        </div>
      )}
      <NewFeed open={making} onClose={() => setMaking(false)} />
    </nav>
  );
}

function Mark() {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" className="fill-accent-ground" />
      <path
        d="M8 10h16M16 10v14M11 17h10"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
        fill="none"
      />
    </svg>
  );
}

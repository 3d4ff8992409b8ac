// Addresses of the views, in one place: nothing else spells them.

import { idOf, kindOf } from './log/subjects.ts';

export const paths = {
  inbox: '/',
  feed: (id: string) => `/feeds/${id}`,
  post: (id: string, comment?: string) => `/posts/${id}${comment ? `#${comment}` : ''}`,
  agents: '/agents',
  agent: (id: string) => `/agents/${id}`,
  runs: '/runs',
  run: (session: string, run: string) => `/runs/${session}/${run}`,
  fleet: '/fleet',
  leases: '/leases',
  events: '/events',
  story: (key: string) => `/events?key=${encodeURIComponent(key)}`,
  search: (words = '') => (words ? `/search?q=${encodeURIComponent(words)}` : '/search'),
  settings: '/settings',
};

// The page of what a key names, where there is one.
export function pageOf(key: string): string | undefined {
  const id = idOf(key);
  switch (kindOf(key)) {
    case 'feed':
      return paths.feed(id);
    case 'post':
    case 'thread':
      return paths.post(id);
    case 'agent':
      return paths.agent(id);
    case 'shift':
      return paths.run(id.slice(0, id.indexOf('/')), id.slice(id.indexOf('/') + 1));
    default:
      return undefined;
  }
}

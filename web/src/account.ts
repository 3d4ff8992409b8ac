// Who looks at the page: nobody yet, somebody who must set it up or log in, or the admin.

import { useSyncExternalStore } from 'react';

import { ApiError, call, keepLogin, whenLoggedOut } from './api/client.ts';
import type { Me } from './api/shapes.ts';
import { forgetSnapshots, source } from './log/hooks.ts';

export type Account =
  | { is: 'asking' }
  | { is: 'unreachable'; error: Error }
  | { is: 'new'; needs_code: boolean }
  | { is: 'out'; bad_link?: boolean }
  | { is: 'in'; me: Me };

let account: Account = { is: 'asking' };
const listeners = new Set<() => void>();

function set(next: Account) {
  account = next;
  for (const listener of listeners) listener();
}

export function useAccount() {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => account,
  );
}

function enter(me: Me) {
  source.start();
  set({ is: 'in', me });
}

function leave(next: Account) {
  source.end();
  forgetSnapshots();
  set(next);
}

// The secret of a link that `tyer login` printed. It stands behind the #, which no server is told,
// and does not stay in the address or the history.
function takeLink() {
  const found = /^#login=(\w+)$/.exec(location.hash);
  if (found) history.replaceState(null, '', location.pathname + location.search);
  return found?.[1];
}

export async function ask() {
  const secret = takeLink();
  if (!secret) return askWho(false);
  let isBad = false;
  try {
    keepLogin((await call('POST /api/auth/link', { body: { secret } })).csrf_token);
  } catch (error) {
    isBad = error instanceof ApiError && error.status === 401;
    if (!isBad) {
      set({ is: 'unreachable', error: error as Error });
      return;
    }
  }
  // Who was logged in before still is, whatever the link was.
  await askWho(isBad);
}

// In a page that is open already, a link is a change of what is behind the #, and nothing is loaded.
window.addEventListener('hashchange', () => {
  if (location.hash.startsWith('#login=')) void ask();
});

async function askWho(bad_link: boolean) {
  try {
    enter(await call('GET /api/auth/me'));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) {
      set({ is: 'unreachable', error: error as Error });
      return;
    }
    try {
      const setup = await call('GET /api/setup');
      if (setup.needs_setup) leave({ is: 'new', needs_code: setup.needs_code });
      else leave({ is: 'out', bad_link });
    } catch (second) {
      set({ is: 'unreachable', error: second as Error });
    }
  }
}

// `login`: what was asked to be let in.
export async function logIn(login: Promise<{ csrf_token: string }>) {
  keepLogin((await login).csrf_token);
  await ask();
}

export async function logOut() {
  await call('POST /api/auth/logout');
  leave({ is: 'out' });
}

// A login may end at any time; then whatever was asked leads to the login.
whenLoggedOut(() => {
  if (account.is === 'in') leave({ is: 'out' });
});

// Where the page is: the path and query of the address. Small on purpose; views are chosen in
// app.tsx.

import { useSyncExternalStore } from 'react';
import type { AnchorHTMLAttributes, MouseEvent } from 'react';

const listeners = new Set<() => void>();

function tell() {
  for (const listener of listeners) listener();
}

// Whether the last change of place was one back or forward in the history.
let wasBack = false;

window.addEventListener('popstate', () => {
  wasBack = true;
  tell();
});

export function navigate(to: string, how: { replace?: boolean } = {}) {
  wasBack = false;
  if (how.replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  tell();
}

export function cameBack() {
  return wasBack;
}

// Calls back after each change of place.
export function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function address() {
  return location.pathname + location.search + location.hash;
}

export function useAddress(): URL {
  const here = useSyncExternalStore(subscribe, address);
  return new URL(here, location.origin);
}

// `/feeds/:id` of `/feeds/fd_1` is {id: 'fd_1'}; undefined if it does not fit.
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const got = given[i] ?? '';
    if (part.startsWith(':')) {
      try {
        params[part.slice(1)] = decodeURIComponent(got);
      } catch {
        return undefined;
      }
    } else if (part !== got) {
      return undefined;
    }
  }
  return params;
}

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { to: string };

// A link within the page. A new tab is a new tab: only plain clicks are ours.
export function Link({ to, onClick, ...rest }: LinkProps) {
  const click = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return <a href={to} onClick={click} {...rest} />;
}

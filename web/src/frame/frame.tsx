// What stays while views change: navigation on the left, or behind a button where there is no room;
// the view; the status bar.

import * as Radix from '@radix-ui/react-dialog';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ReactNode, RefObject } from 'react';

import type { Me } from '../api/shapes.ts';
import { useShortcuts } from '../keyboard.ts';
import { useAgents, useUnknownThreads } from '../log/snapshots.ts';
import { Button } from '../parts/button.tsx';
import { Veil } from '../parts/veil.tsx';
import { paths } from '../paths.ts';
import { cameBack, navigate, useAddress } from '../router.tsx';
import { frameText } from '../text/frame.ts';
import { useText } from '../text/text.ts';
import Help from './help.tsx';
import { Nav } from './nav.tsx';
import Palette from './palette.tsx';
import { StatusBar } from './status_bar.tsx';

const places = new Map<string, number>();

// A new view begins at its top, and one that is come back to where it was left. The focus goes
// along, so that keys and screen readers are there, too.
function usePlaceOf(main: RefObject<HTMLElement | null>, path: string) {
  useLayoutEffect(() => {
    const box = main.current;
    if (!box) return;
    box.scrollTop = cameBack() ? (places.get(path) ?? 0) : 0;
    if (!box.contains(document.activeElement)) box.focus({ preventScroll: true });
    const remember = () => void places.set(path, box.scrollTop);
    box.addEventListener('scroll', remember, { passive: true });
    return () => box.removeEventListener('scroll', remember);
  }, [main, path]);
}

export function Frame({ me, children }: { me: Me; children: ReactNode }) {
  const t = useText(frameText);
  const here = useAddress().pathname;
  const [drawer, setDrawer] = useState(false);
  const [over, setOver] = useState<'palette' | 'help' | undefined>();
  useAgents(); // Texts name them wherever they are.
  useUnknownThreads();
  const main = useRef<HTMLElement>(null);
  useEffect(() => setDrawer(false), [here]);
  usePlaceOf(main, here);
  useShortcuts([
    { keys: 'mod+k', words: t.palette, act: () => setOver('palette') },
    { keys: '/', words: t.search, act: () => navigate(paths.search()) },
    { keys: '?', words: t.keys, act: () => setOver('help') },
  ]);
  const openPalette = () => {
    setDrawer(false);
    setOver('palette');
  };
  const nav = <Nav me={me} openPalette={openPalette} />;
  return (
    <div className="flex h-dvh flex-col">
      <a
        href="#content"
        className={
          'bg-raised sr-only z-50 rounded px-3 py-2 focus:not-sr-only focus:absolute ' +
          'focus:top-2 focus:left-2'
        }
      >
        {t.skip}
      </a>
      <div className="flex min-h-0 grow">
        <div className="border-line bg-sunken hidden w-56 shrink-0 border-r md:block">{nav}</div>
        <div className="flex min-w-0 grow flex-col">
          <header
            className={'border-line flex h-11 shrink-0 items-center gap-1 border-b px-2 md:hidden'}
          >
            <Button look="quiet" icon="menu" aria-label={t.menu} onClick={() => setDrawer(true)} />
            <span className="grow font-semibold">Tyer</span>
            <Button look="quiet" icon="search" aria-label={t.palette} onClick={openPalette} />
          </header>
          <main
            ref={main}
            id="content"
            tabIndex={-1}
            className="min-h-0 grow overflow-y-auto outline-none"
          >
            {children}
          </main>
        </div>
      </div>
      <StatusBar />
      <Radix.Root open={drawer} onOpenChange={setDrawer}>
        <Radix.Portal>
          <Veil />
          <Radix.Content
            aria-describedby={undefined}
            className="bg-sunken border-line fixed inset-y-0 left-0 z-40 w-64 max-w-[85vw] border-r"
          >
            <Radix.Title className="sr-only">{t.menu}</Radix.Title>
            {nav}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
      {over === 'palette' && <Palette onClose={() => setOver(undefined)} />}
      {over === 'help' && <Help onClose={() => setOver(undefined)} />}
    </div>
  );
}

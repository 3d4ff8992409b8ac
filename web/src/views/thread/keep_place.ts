// Keeps what one reads where it is while rows come in above and below, are measured, or grow.
//
// The first visible row and how far it is from the edge are remembered at every scroll. Whenever
// rows were drawn anew, that row is put back to its place before anything is painted. Who was at
// the end stays there.

import type { Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';

const at_end_px = 48;
const row_margin_px = 60;
const held_ms = 1_000;

type List = Virtualizer<HTMLDivElement, HTMLElement>;

interface Anchor {
  key: string;
  offset: number;
}

// Halving: rows are many, and each that is looked at costs.
function firstSeen(list: List, top: number) {
  const rows = list.measurementsCache;
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.end > top) high = middle;
    else low = middle + 1;
  }
  return rows[low];
}

function isEndSeen(scroller: HTMLElement) {
  return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < at_end_px;
}

// `indexes`: where each row is, by its key.
export function useKeptPlace(
  list: List,
  box: RefObject<HTMLDivElement | null>,
  indexes: ReadonlyMap<string, number>,
) {
  const latest = useRef(indexes);
  latest.current = indexes;
  const anchor = useRef<Anchor | undefined>(undefined);
  const stuck = useRef(false);
  const held = useRef(0); // Until then the anchor is not what is seen but what is wanted.
  const top = useRef(0); // Where we last saw or put it.
  const [isAtEnd, setIsAtEnd] = useState(true);
  // It would do the same from a place that it has heard of too late, and then both would.
  list.shouldAdjustScrollPositionOnItemSizeChange = () => false;

  const remember = useCallback(() => {
    const scroller = box.current;
    if (!scroller || performance.now() < held.current) return;
    top.current = scroller.scrollTop;
    stuck.current = isEndSeen(scroller);
    setIsAtEnd(stuck.current);
    const first = firstSeen(list, scroller.scrollTop);
    if (!first) return;
    anchor.current = { key: String(first.key), offset: first.start - scroller.scrollTop };
  }, [list, box]);

  const put = useCallback(
    (to: number) => {
      const scroller = box.current;
      if (!scroller) return;
      if (Math.abs(scroller.scrollTop - to) > 0.5) scroller.scrollTop = to;
      top.current = scroller.scrollTop;
    },
    [box],
  );

  const toEnd = useCallback(() => {
    held.current = 0;
    stuck.current = true;
    setIsAtEnd(true);
    put(box.current?.scrollHeight ?? 0);
  }, [box, put]);

  const place = useCallback(() => {
    const kept = anchor.current;
    const index = kept && latest.current.get(kept.key);
    const row = index === undefined ? undefined : list.measurementsCache[index];
    if (kept && row) put(row.start - kept.offset);
  }, [list, put]);

  // To one row. Those around it are measured once they are drawn, and then move it: it is held
  // there for a moment, unless its reader scrolls away.
  const toKey = useCallback(
    (key: string) => {
      stuck.current = false;
      anchor.current = { key, offset: row_margin_px };
      held.current = performance.now() + held_ms;
      const hold = () => {
        if (performance.now() > held.current) return;
        place();
        requestAnimationFrame(hold);
      };
      hold();
    },
    [place],
  );

  useLayoutEffect(() => {
    const scroller = box.current;
    if (!scroller) return;
    if (stuck.current) put(scroller.scrollHeight);
    // It was scrolled, and this is drawn before we were told.
    else if (Math.abs(scroller.scrollTop - top.current) > 1) remember();
    else place();
  });

  // Pictures that load, the composer that grows; and scrolling, before the list draws for it.
  useEffect(() => {
    const scroller = box.current;
    if (!scroller) return;
    const watch = new ResizeObserver(() => {
      if (stuck.current) put(scroller.scrollHeight);
      // What does not fit any more has an end that is not seen, before anybody scrolls.
      else setIsAtEnd(isEndSeen(scroller));
    });
    watch.observe(scroller);
    if (scroller.firstElementChild) watch.observe(scroller.firstElementChild);
    const letGo = () => {
      held.current = 0;
    };
    const own = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;
    for (const type of own) scroller.addEventListener(type, letGo, { passive: true });
    scroller.addEventListener('scroll', remember, { passive: true, capture: true });
    return () => {
      watch.disconnect();
      for (const type of own) scroller.removeEventListener(type, letGo);
      scroller.removeEventListener('scroll', remember, { capture: true });
    };
  }, [box, remember, put]);

  return { isAtEnd, toEnd, toKey };
}

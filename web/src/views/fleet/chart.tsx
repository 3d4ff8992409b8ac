// The lanes as they are drawn. Everything stands at a share of the width, so it needs no measuring.

import { Fragment, memo, useEffect, useRef } from 'react';
import type { PointerEvent } from 'react';

import { useSessionName } from '../../log/hooks.ts';
import { toneInk, toneOf, useStatusWord } from '../../parts/status.tsx';
import type { Tone } from '../../parts/status.tsx';
import { SessionName, usePostTitle } from '../../parts/names.tsx';
import { spanWords } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { partsText } from '../../text/parts.ts';
import { useLanguage, useText } from '../../text/text.ts';
import { fleetText } from '../../text/views/fleet.ts';
import { moved, ticksOf, zoomed } from './lanes.ts';
import type { Bar, Lane, Window } from './lanes.ts';

const grounds: Record<Tone, string> = {
  calm: 'bg-line-strong text-ink',
  good: 'bg-good-wash border-good text-good',
  warn: 'bg-warn border-warn text-ground',
  bad: 'bg-bad border-bad text-ground',
  busy: 'bg-accent-ground border-accent text-white',
};

const wide_share = 0.03;

function shareOf(window: Window, time: number) {
  return `${((time - window.from) / (window.to - window.from)) * 100}%`;
}

function isVisible(window: Window, from: number, to: number) {
  return to >= window.from && from <= window.to;
}

// Bars stand at a place in a frame of time that moves as a whole. So a tick of the clock draws only
// those anew that grow, or are cut by an edge; of others nothing has changed.
interface Frame {
  base: number;
  span: number;
}

function frameOf(window: Window): Frame {
  const span = window.to - window.from;
  return { base: Math.floor(window.from / span) * span, span };
}

function place({ base, span, from, to }: Frame & { from: number; to: number }) {
  const width = Math.max(0, to - from) / span;
  return { left: `${((from - base) / span) * 100}%`, width: `${width * 100}%` };
}

interface BarProps extends Frame {
  bar: Bar;
  from: number;
  to: number;
}

const BarLink = memo(function BarLink({ bar, from, to, base, span }: BarProps) {
  const t = useText(fleetText);
  const parts = useText(partsText);
  const word = useStatusWord();
  const { run } = bar;
  const name = useSessionName(run.session_id, run.agent_id);
  // A bar without room for words needs none.
  const isWide = (to - from) / span > wide_share;
  const title = usePostTitle(run.post_id, isWide || bar.status === 'running');
  const tone = toneOf(bar.status);
  const words = t.bar(name, word(bar.status), title, spanWords(to - bar.from, parts));
  return (
    <Link
      to={paths.run(run.session_id, run.id)}
      title={words}
      aria-label={words}
      draggable={false}
      style={place({ base, span, from, to })}
      className={
        'absolute top-1 bottom-1 z-10 flex min-w-1 items-center gap-1 overflow-hidden rounded-sm ' +
        `border text-xs leading-5 hover:brightness-95 focus-visible:z-20 ${grounds[tone]} ` +
        (from > bar.from ? 'rounded-l-none border-l-0' : '')
      }
    >
      {tone === 'bad' && <span className="pl-1 font-bold">!</span>}
      <bdi className="min-w-0 truncate px-1">{title}</bdi>
    </Link>
  );
});

const Waiting = memo(function Waiting(props: Frame & { from: number; to: number }) {
  return (
    <span
      aria-hidden="true"
      style={place(props)}
      className="border-warn absolute top-1/2 z-0 border-t-2 border-dotted"
    />
  );
});

function LaneRow({ lane, window, now }: { lane: Lane; window: Window; now: number }) {
  const t = useText(fleetText);
  const parts = useText(partsText);
  const name = useSessionName(lane.session_id, lane.agent_id);
  const since = lane.waitsSince;
  const frame = frameOf(window);
  return (
    <li aria-label={t.lane(name)} className="border-line border-b sm:flex">
      <div className="flex min-w-0 items-center gap-2 px-2 pt-1 text-sm sm:w-44 sm:shrink-0 sm:py-1">
        <span
          aria-hidden="true"
          className={
            'size-1.5 shrink-0 rounded-full bg-current ' +
            (lane.isRunning
              ? `${toneInk.busy} animate-pulse`
              : since !== undefined
                ? toneInk.warn
                : 'text-line-strong')
          }
        />
        <span className="min-w-0 truncate" title={name}>
          <SessionName id={lane.session_id} agent_id={lane.agent_id} />
        </span>
      </div>
      <div className="relative h-8 min-w-0 grow overflow-hidden">
        <div
          className="absolute inset-0"
          style={{ transform: `translateX(${((frame.base - window.from) / frame.span) * 100}%)` }}
        >
          {lane.bars.map((bar) => {
            const to = Math.min(bar.to, Math.max(now, bar.from));
            if (!isVisible(window, bar.waited, to)) return null;
            return (
              <Fragment key={bar.run.id}>
                {bar.from - bar.waited > 1_000 && (
                  <Waiting from={bar.waited} to={bar.from} {...frame} />
                )}
                {to >= window.from && (
                  <BarLink bar={bar} from={Math.max(bar.from, window.from)} to={to} {...frame} />
                )}
              </Fragment>
            );
          })}
          {since !== undefined && <Waiting from={since} to={now} {...frame} />}
        </div>
        {since !== undefined && (
          <span className="sr-only">{t.waits(spanWords(now - since, parts))}</span>
        )}
      </div>
    </li>
  );
}

// Further right a label would be cut off.
const labels_until = 0.92;

function Axis({ window }: { window: Window }) {
  const language = useLanguage();
  const { step, at } = ticksOf(window, 8);
  const options: Intl.DateTimeFormatOptions =
    step >= 86_400_000
      ? { month: 'short', day: 'numeric' }
      : step < 60_000
        ? { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }
        : { hour: '2-digit', minute: '2-digit', hour12: false };
  const format = new Intl.DateTimeFormat(language, options);
  return (
    <div aria-hidden="true" className="border-line border-b sm:pl-44">
      <div className="relative h-6 overflow-hidden">
        {at.map((time, i) => (
          <span
            key={time}
            style={{ left: shareOf(window, time) }}
            className={
              'text-faint border-line absolute bottom-0 h-full border-l pl-1 text-xs leading-6 ' +
              `whitespace-nowrap tabular-nums ${i % 2 === 1 ? 'hidden sm:inline' : ''}`
            }
          >
            {(time - window.from) / (window.to - window.from) < labels_until && format.format(time)}
          </span>
        ))}
      </div>
    </div>
  );
}

// Through all lanes: the lines of the axis, and now.
function Lines({ window, now }: { window: Window; now: number }) {
  const { at } = ticksOf(window, 8);
  return (
    <>
      {at.map((time) => (
        <span
          key={time}
          style={{ left: shareOf(window, time) }}
          className="border-line absolute inset-y-0 border-l"
        />
      ))}
      {isVisible(window, now, now) && (
        <span
          style={{ left: shareOf(window, now) }}
          className="border-accent absolute inset-y-0 border-l"
        />
      )}
    </>
  );
}

interface ChartProps {
  lanes: Lane[];
  window: Window;
  now: number;
  onWindow: (window: Window) => void;
}

const zoom_per_pixel = 1.002;
const drag_least = 4;

export function Chart({ lanes, window, now, onWindow }: ChartProps) {
  const t = useText(fleetText);
  const box = useRef<HTMLDivElement>(null);
  // Where time is, without the names beside it.
  const track = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; window: Window; isMoved: boolean } | undefined>(undefined);
  const latest = useRef({ window, onWindow });
  latest.current = { window, onWindow };

  // Not React's own: it listens passively, and the page would scroll or zoom as well.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const wheel = (event: WheelEvent) => {
      const { window: shown, onWindow: show } = latest.current;
      const area = (track.current ?? element).getBoundingClientRect();
      const span = shown.to - shown.from;
      if (event.ctrlKey || event.metaKey) {
        const share = Math.max(0, Math.min(1, (event.clientX - area.left) / area.width));
        show(zoomed(shown, zoom_per_pixel ** event.deltaY, share));
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
        show(moved(shown, ((event.deltaX || event.deltaY) / area.width) * span));
      } else {
        return;
      }
      event.preventDefault();
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, []);

  const down = (event: PointerEvent) => {
    if (event.button === 0) drag.current = { x: event.clientX, window, isMoved: false };
  };
  const move = (event: PointerEvent) => {
    const from = drag.current;
    const width = track.current?.clientWidth ?? 0;
    if (!from || width === 0) return;
    const by = event.clientX - from.x;
    if (!from.isMoved && Math.abs(by) < drag_least) return;
    from.isMoved = true;
    onWindow(moved(from.window, (-by / width) * (from.window.to - from.window.from)));
  };
  return (
    <div className="border-line overflow-hidden rounded-md border">
      <Axis window={window} />
      <div
        ref={box}
        className="relative touch-pan-y select-none"
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={() => {
          // The click that ends a drag opens nothing.
          const ended = drag.current;
          drag.current = undefined;
          if (ended?.isMoved) {
            box.current?.addEventListener('click', stop, { capture: true, once: true });
            setTimeout(() => box.current?.removeEventListener('click', stop, true));
          }
        }}
        onPointerLeave={() => {
          drag.current = undefined;
        }}
      >
        <div
          ref={track}
          aria-hidden="true"
          className="pointer-events-none absolute inset-y-0 right-0 left-0 sm:left-44"
        >
          <Lines window={window} now={now} />
        </div>
        <ul aria-label={t.title}>
          {lanes.map((lane) => (
            <LaneRow key={lane.session_id} lane={lane} window={window} now={now} />
          ))}
        </ul>
      </div>
    </div>
  );
}

function stop(event: Event) {
  event.preventDefault();
  event.stopPropagation();
}

// The whole fleet over time: who works on what now, who waits, what failed.

import { useEffect, useMemo, useState } from 'react';

import type { ViewProps } from '../views.ts';
import { useShortcuts } from '../keyboard.ts';
import { useSubjects } from '../log/hooks.ts';
import { useAllRuns, useOpenItems } from '../log/snapshots.ts';
import type { LiveRun } from '../log/subjects.ts';
import { Empty, ErrorBox, Loading } from '../parts/boxes.tsx';
import { Button } from '../parts/button.tsx';
import { Page } from '../parts/page.tsx';
import { Status, toneOf } from '../parts/status.tsx';
import { useText } from '../text/text.ts';
import { fleetText } from '../text/views/fleet.ts';
import { Chart } from './fleet/chart.tsx';
import { byName, isIn, lanesOf, moved, waitingOf, zoomed } from './fleet/lanes.ts';
import type { Window } from './fleet/lanes.ts';

const minute = 60_000;
const spans = { m15: 15 * minute, h1: 60 * minute, h6: 360 * minute, h24: 1440 * minute, d7: 10_080 * minute };
type SpanName = keyof typeof spans;

// A little of what is to come, so that now is not the edge.
const ahead = 0.03;

function useClock(every_ms: number) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every_ms);
    return () => clearInterval(timer);
  }, [every_ms]);
  return now;
}

// An hour, unless all there is began just now.
function fitting(runs: readonly LiveRun[]) {
  const early = Date.now() - spans.m15;
  return runs.every((run) => Date.parse(run.started_at) > early) ? spans.m15 : spans.h1;
}

export default function Fleet(_: ViewProps) {
  const t = useText(fleetText);
  const { runs, loading, error, again } = useAllRuns();
  const items = useOpenItems();
  const sessions = useSubjects('session');
  const agents = useSubjects('agent');
  const [chosen, setSpan] = useState<number | undefined>();
  const span = chosen ?? fitting(runs);
  // Without one the window follows the clock.
  const [fixed, setFixed] = useState<Window | undefined>();
  const now = useClock(span <= spans.m15 ? 1_000 : 5_000);
  const window = fixed ?? { from: now - span * (1 - ahead), to: now + span * ahead };

  // What is waited for and what things are called may be read after the runs.
  const waiting = useMemo(() => waitingOf(items, runs, sessions), [items, runs, sessions]);
  const lanes = useMemo(
    () => byName(lanesOf(runs, waiting), agents, sessions),
    [runs, waiting, agents, sessions],
  );
  const shown = lanes.filter((lane) => isIn(window, lane));
  const running = lanes.filter((lane) => lane.isRunning).length;
  const waits = lanes.filter((lane) => lane.waitsSince !== undefined).length;
  const isBad = (status: string) => toneOf(status) === 'bad';
  const bad = shown
    .flatMap((lane) => lane.bars)
    .filter((bar) => isBad(bar.status) && bar.to >= window.from && bar.from <= window.to).length;

  const show = (next: Window) => {
    setSpan(next.to - next.from);
    // Who has now in view keeps it there.
    const isNow = next.to >= now && next.from < now && !fixed;
    setFixed(isNow && Math.abs(next.to - window.to) < 1 ? undefined : next);
  };
  const zoom = (by: number) => {
    if (fixed) return show(zoomed(fixed, by, 0.5));
    const next = zoomed(window, by, 1 - ahead);
    setSpan(next.to - next.from);
  };
  const go = (by: number) => show(moved(window, by * (window.to - window.from)));
  const follow = () => setFixed(undefined);
  useShortcuts([
    { keys: '+', words: t.zoom_in, act: () => zoom(1 / 1.5) },
    { keys: '-', words: t.zoom_out, act: () => zoom(1.5) },
    { keys: 'ArrowLeft', words: t.earlier, act: () => go(-0.25) },
    { keys: 'ArrowRight', words: t.later, act: () => go(0.25) },
    { keys: 'f', words: t.now, act: follow },
  ]);

  if (runs.length === 0 && loading) return <Loading />;
  return (
    <Page
      title={t.title}
      about={
        <>
          {running === 0 && waits === 0 && <span>{t.idle}</span>}
          {running > 0 && <span className="text-busy">{t.running(running)}</span>}
          {waits > 0 && <span className="text-warn">{t.waiting(waits)}</span>}
          {bad > 0 && <span className="text-bad">{t.failed(bad)}</span>}
        </>
      }
      wide
      actions={
        <div role="group" aria-label={t.span} className="flex flex-wrap items-center gap-1">
          {(Object.keys(spans) as SpanName[]).map((name) => (
            <Button
              key={name}
              look={!fixed && Math.abs(span - spans[name]) < 1 ? 'plain' : 'quiet'}
              aria-pressed={!fixed && Math.abs(span - spans[name]) < 1}
              className="px-2!"
              onClick={() => {
                setSpan(spans[name]);
                setFixed(undefined);
              }}
            >
              {t.spans[name]}
            </Button>
          ))}
          <Button look="quiet" icon="left" aria-label={t.earlier} onClick={() => go(-0.25)} />
          <Button look="quiet" icon="right" aria-label={t.later} onClick={() => go(0.25)} />
          <Button look="quiet" icon="plus" aria-label={t.zoom_in} onClick={() => zoom(1 / 1.5)} />
          <Button look="quiet" icon="minus" aria-label={t.zoom_out} onClick={() => zoom(1.5)} />
          <Button look={fixed ? 'main' : 'quiet'} disabled={!fixed} onClick={follow}>
            {t.now}
          </Button>
        </div>
      }
    >
      {error && <ErrorBox error={error} again={again} />}
      {lanes.length === 0 ? (
        <Empty title={t.none}>
          <p>{t.none_about}</p>
        </Empty>
      ) : (
        <>
          <Chart lanes={shown} window={window} now={now} onWindow={show} />
          {shown.length === 0 && <p className="text-soft p-3 text-sm">{t.none_here}</p>}
          <div className="flex flex-wrap items-center gap-2 pt-3" aria-label={t.legend}>
            {['running', 'done', 'waiting', 'failed'].map((status) => (
              <Status key={status} is={status} />
            ))}
            <span className="text-faint hidden text-xs sm:inline">{t.hint}</span>
          </div>
        </>
      )}
    </Page>
  );
}

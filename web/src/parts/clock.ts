// One clock for all times that are shown: it ticks each second while somebody can see it, and is
// right again at once when the page comes back into view.

const tick_ms = 1_000;

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function tick() {
  now = Date.now();
  for (const one of listeners) one();
}

function watch() {
  clearInterval(timer);
  timer = undefined;
  if (listeners.size === 0 || document.visibilityState !== 'visible') return;
  tick();
  timer = setInterval(tick, tick_ms);
}

export function subscribe(listener: () => void) {
  if (listeners.size === 0) {
    now = Date.now();
    document.addEventListener('visibilitychange', watch);
  }
  listeners.add(listener);
  if (timer === undefined) watch();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    document.removeEventListener('visibilitychange', watch);
    watch();
  };
}

export function clock() {
  return now;
}

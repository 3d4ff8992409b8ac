// The one stream of the page: it keeps it open, folds what comes into the store, and says truly how
// it is. After a break it goes on behind the last event it has: nothing twice, nothing missed.

import { ApiError } from '../api/client.ts';
import type { Event } from '../api/shapes.ts';
import { listen } from '../api/stream.ts';
import type { Message } from '../api/stream.ts';
import { fold } from './fold.ts';
import { Store } from './store.ts';
import { seqOf } from './subjects.ts';

// `cut`: it was not heard for so long that what is shown may be old.
export type StreamState = 'connecting' | 'live' | 'reconnecting' | 'cut';

const pause_first_ms = 500;
const pause_most_ms = 3_000;
const cut_after_ms = 5_000;
const silent_ms = 40_000; // The hub beats every 15 s; two beats missed and the line is dead.

// Snapshots wait at it until the stream is there.
class Gate {
  open = () => {};
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

export class Source {
  state: StreamState = 'connecting';
  since = Date.now();
  // Grows when all must be read again: the log does not reach back to where we were.
  epoch = 0;
  last = '';
  private recorders = new Set<Event[]>();
  private stop: AbortController | undefined;
  private attempt: AbortController | undefined;
  private wakeUp = () => {};
  private gate = new Gate();

  constructor(readonly store: Store) {}

  start() {
    if (this.stop) return;
    this.stop = new AbortController();
    window.addEventListener('online', this.retry);
    void this.run(this.stop.signal);
  }

  end() {
    this.stop?.abort();
    this.attempt?.abort();
    window.removeEventListener('online', this.retry);
    this.stop = undefined;
    this.last = '';
    // Who still waits is answered, by the hub's refusal, instead of waiting for ever.
    this.gate.open();
    this.gate = new Gate();
    this.store.clear();
    this.setState('connecting');
  }

  // Now, instead of after the pause.
  retry = () => this.wakeUp();

  // Once the stream is there: of what is read from then on every change is told.
  opened() {
    return this.gate.opened;
  }

  // Reads rows and puts them in, then again the events that came meanwhile: rows that are older
  // than those cannot undo them. Waits for the stream, so that nothing falls between the two.
  async snapshot<T>(load: () => Promise<T>, put: (rows: T) => void): Promise<T> {
    await this.opened();
    const came: Event[] = [];
    this.recorders.add(came);
    try {
      const rows = await load();
      put(rows);
      for (const event of came) fold(this.store, event);
      return rows;
    } finally {
      this.recorders.delete(came);
    }
  }

  receive(messages: Message[]) {
    for (const message of messages) {
      if (message.data) this.receiveOne(message);
      else if (message.id) this.last ||= message.id;
    }
  }

  private receiveOne(message: Message) {
    const event = JSON.parse(message.data) as Event & { code?: string };
    if (!message.id) {
      if (event.code === 'gone') this.beginAgain();
      return;
    }
    if (this.last && seqOf(message.id) <= seqOf(this.last)) return;
    this.last = message.id;
    for (const came of this.recorders) came.push(event);
    fold(this.store, event);
    this.store.remember(event);
  }

  private beginAgain() {
    this.last = '';
    this.epoch += 1;
    this.store.clear();
    this.store.mark('epoch');
  }

  private setState(state: StreamState) {
    if (this.state === state) return;
    this.state = state;
    this.since = Date.now();
    this.store.mark('stream');
  }

  private async run(signal: AbortSignal) {
    let pause = pause_first_ms;
    let lost = Date.now();
    while (!signal.aborted) {
      try {
        await this.once(signal, () => {
          pause = pause_first_ms;
        });
      } catch (error) {
        if (signal.aborted) return;
        // The hub said no: somebody must log in first, and then all begins anew.
        if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
          this.setState('cut');
          return;
        }
      }
      if (signal.aborted) return;
      if (this.state === 'live') {
        lost = Date.now();
        this.setState('reconnecting');
      } else if (Date.now() - lost > cut_after_ms) {
        this.setState('cut');
      }
      await this.rest(pause);
      pause = Math.min(pause * 2, pause_most_ms);
    }
  }

  private async once(signal: AbortSignal, opened: () => void) {
    const attempt = (this.attempt = new AbortController());
    let heard = Date.now();
    const watch = setInterval(() => {
      if (Date.now() - heard > silent_ms) attempt.abort();
    }, 5_000);
    try {
      const to = {
        opened: () => {
          opened();
          this.setState('live');
          this.gate.open();
        },
        heard: () => {
          heard = Date.now();
        },
        messages: (messages: Message[]) => this.receive(messages),
      };
      await listen(this.last, to, AbortSignal.any([signal, attempt.signal]));
    } finally {
      clearInterval(watch);
    }
  }

  private rest(ms: number) {
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

// What is to be read from the hub, wanted one by one and read together. What could not be read stays
// wanted: it is tried again after a while, or when somebody knows that the hub is back.

import { ApiError } from '../api/client.ts';
import { Pace } from './pace.ts';

const retry_ms = 5_000;

// The hub said no: it would say so again.
function isRefused(error: unknown) {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}

export class Wanted {
  private readonly ids = new Set<string>();
  private readonly pace: Pace;

  // `most`: how many are read at a time.
  constructor(
    private readonly read: (ids: string[]) => Promise<unknown>,
    private readonly most: number,
    pause_ms = 0,
  ) {
    this.pace = new Pace(() => this.readSome(), pause_ms);
  }

  want(id: string) {
    this.ids.add(id);
    this.pace.ask();
  }

  again = () => {
    if (this.ids.size > 0) this.pace.ask();
  };

  private async readSome() {
    const ids = [...this.ids].slice(0, this.most);
    for (const id of ids) this.ids.delete(id);
    try {
      await this.read(ids);
    } catch (error) {
      if (isRefused(error)) return this.again();
      for (const id of ids) this.ids.add(id);
      setTimeout(this.again, retry_ms);
      return;
    }
    this.again();
  }
}

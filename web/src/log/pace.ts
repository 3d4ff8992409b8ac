// What is asked for often and done seldom: one at a time, with a pause between two, and once more
// when it was asked for meanwhile. So whoever asked last is answered by what began after that.

export class Pace {
  private isAsked = false;
  private isBusy = false;
  private earliest = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  // What goes wrong in `act` is for `act` to handle.
  constructor(
    private readonly act: () => Promise<unknown>,
    private readonly pause_ms = 0,
  ) {}

  // At the next turn of the clock, if the last time is long enough ago.
  ask = () => {
    this.isAsked = true;
    if (this.isBusy || this.timer !== undefined) return;
    this.timer = setTimeout(() => void this.go(), Math.max(0, this.earliest - performance.now()));
  };

  // What was asked for is not done any more.
  end() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isAsked = false;
  }

  private async go() {
    this.timer = undefined;
    this.isAsked = false;
    this.isBusy = true;
    try {
      await this.act();
    } finally {
      this.isBusy = false;
      this.earliest = performance.now() + this.pause_ms;
      if (this.isAsked) this.ask();
    }
  }
}

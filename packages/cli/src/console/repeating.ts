import { type Clock, wait } from '../tool-base/clock.ts';

/** Does something again and again, one after the other, while somebody is there. */
export class Repeating {
  readonly #clock: Clock;
  readonly #run: (signal: AbortSignal) => Promise<number>;
  #stop: AbortController | undefined;
  #going: Promise<void> = Promise.resolve();

  /** `run` answers after how many milliseconds it is to be done again; it must not reject. */
  constructor(clock: Clock, run: (signal: AbortSignal) => Promise<number>) {
    this.#clock = clock;
    this.#run = run;
  }

  /** Begins at once, unless it goes on already. */
  start(): void {
    if (this.#stop !== undefined) return;
    const stop = new AbortController();
    this.#stop = stop;
    // Two never run at the same time, also where it rests and starts in one moment.
    this.#going = this.#going.then(() => this.#goOn(stop.signal));
  }

  /** Ends what goes on; resolves when it has ended. */
  async rest(): Promise<void> {
    this.#stop?.abort();
    this.#stop = undefined;
    await this.#going;
  }

  async #goOn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const delayMs = await this.#run(signal);
      await wait(this.#clock, delayMs, signal);
    }
  }
}

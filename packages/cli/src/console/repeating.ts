import { type Clock, wait } from '../tool-base/clock.ts';

/** A task that repeats, without overlap, between `start()` and `rest()`. */
export class Repeating {
  readonly #clock: Clock;
  readonly #run: (signal: AbortSignal) => Promise<number>;
  #stop: AbortController | undefined;
  #going: Promise<void> = Promise.resolve();

  /** `run` returns the delay until its next call, in milliseconds. It must not reject. */
  constructor(clock: Clock, run: (signal: AbortSignal) => Promise<number>) {
    this.#clock = clock;
    this.#run = run;
  }

  /** Starts at once, unless it already runs. */
  start(): void {
    if (this.#stop !== undefined) return;
    const stop = new AbortController();
    this.#stop = stop;
    // Waits for the previous run, so that two never overlap, even if `rest()` and `start()` follow closely.
    this.#going = this.#going.then(() => this.#goOn(stop.signal));
  }

  /** Stops. Resolves when the running call has ended. */
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

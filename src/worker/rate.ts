import { type Clock, wait } from '../claims/clock.ts';
import type { StopSignal } from '../claims/stop.ts';

/** How many records may start in a time. */
export interface Rate {
  /** Records. */
  readonly records: number;
  /** In so many milliseconds. */
  readonly perMs: number;
}

/**
 * A token bucket (RFC 2697's, with one rate): it holds as many as may start at once, and fills evenly. What asks first starts first.
 */
export class RateLimit {
  readonly #rate: Rate;
  readonly #clock: Clock;
  #tokens: number;
  #filledAt: number;
  /** The last of those that wait. */
  #queue: Promise<void> = Promise.resolve();

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.records;
    this.#filledAt = clock.now();
  }

  /** Resolves when so many may start, or when `signal` is aborted. */
  take(count: number, signal: StopSignal): Promise<void> | undefined {
    if (this.#waiting === 0 && this.#takeNow(count)) return undefined;
    this.#waiting += 1;
    const turn = this.#queue.then(() => this.#takeLater(count, signal));
    this.#queue = turn;
    return turn;
  }

  #waiting = 0;

  async #takeLater(count: number, signal: StopSignal): Promise<void> {
    while (!signal.aborted && !this.#takeNow(count)) {
      const missing = Math.min(count, this.#rate.records) - this.#tokens;
      await wait(this.#clock, Math.ceil((missing * this.#rate.perMs) / this.#rate.records), signal);
    }
    this.#waiting -= 1;
  }

  /** More than the bucket holds is taken when it is full, and is owed. */
  #takeNow(count: number): boolean {
    const { records, perMs } = this.#rate;
    const now = this.#clock.now();
    this.#tokens = Math.min(records, this.#tokens + ((now - this.#filledAt) * records) / perMs);
    this.#filledAt = now;
    if (this.#tokens < Math.min(count, records)) return false;
    this.#tokens -= count;
    return true;
  }
}

import { type Clock, systemClock } from '../base/clock.ts';

/** Named timers, one at a time for each name. */
export class Timers {
  readonly #clock: Clock;
  readonly #cancels = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does nothing if a timer of this name is set. */
  in(ms: number, name: string, then: () => void): void {
    if (this.#cancels.has(name)) return;
    const cancel = this.#clock.setTimer(() => {
      this.#cancels.delete(name);
      then();
    }, ms);
    this.#cancels.set(name, cancel);
  }

  cancelAll(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }
}

/** A clock for measuring: it does not jump when somebody sets the machine's clock. */
export const steadyClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimer: systemClock.setTimer,
};

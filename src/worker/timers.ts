import { type Clock, systemClock } from '../base/clock.ts';

/** Timers with names: one at a time for each. */
export class Timers {
  readonly #clock: Clock;
  readonly #cancels = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does nothing while a timer of this name is set. */
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

/** The machine's clock, but for changes of its time: what is only measured must not jump when somebody sets it. */
export const steadyClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimer: systemClock.setTimer,
};

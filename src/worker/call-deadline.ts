import type { Deadline } from '../attempts/deadline.ts';
import { type Clock } from '../claims/clock.ts';
import { Stop } from '../claims/stop.ts';

/** How long a handler that overran `recordTimeoutMs` may take to end, in milliseconds. */
const GRACE_MS = 500;
/** How much of what is left until the stop is for storing how handlers ended. */
const STORING_SHARE = 0.25;

/** The end of all calls of a worker: there is none, until the worker stops. */
export class CallDeadline implements Deadline {
  readonly stop: Stop = new Stop();
  readonly answerNow: Stop = new Stop();
  readonly #clock: Clock;
  #endsAt = Infinity;
  #stopsAt = Infinity;
  #graceMs = GRACE_MS;
  #cancels: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get endsAt(): number {
    return this.#endsAt;
  }

  get stopsAt(): number {
    return this.#stopsAt;
  }

  get graceMs(): number {
    return this.#graceMs;
  }

  remainingTimeMs(): number {
    return this.#endsAt - this.#clock.now();
  }

  /** All calls have to be over within `limitMs`; handlers are told to stop `graceMs` and the time for storing before that. */
  end(limitMs: number, graceMs: number): void {
    this.#endsAt = this.#clock.now() + limitMs;
    this.#graceMs = graceMs;
    const stopInMs = Math.max(limitMs - graceMs - limitMs * STORING_SHARE, 0);
    this.#stopsAt = this.#clock.now() + stopInMs;
    this.#cancels = [
      this.#clock.setTimer(() => this.stop.abort(), stopInMs),
      this.#clock.setTimer(() => this.answerNow.abort(), limitMs),
    ];
  }

  /** At once. */
  endNow(): void {
    this.stop.abort();
    this.answerNow.abort();
  }

  /** Of a single call: nothing, because the deadline is everybody's. */
  cancel(): void {}

  cancelTimers(): void {
    for (const cancel of this.#cancels) cancel();
  }
}

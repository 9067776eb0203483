import type { Deadline } from '../attempts/deadline.ts';
import { type Clock } from '../base/clock.ts';
import { Stop } from '../base/stop.ts';

/** How long a handler that overran `recordTimeoutMs` may take to end, in milliseconds. */
const GRACE_MS = 500;
/** The share of the shutdown time that is reserved for storing how handlers ended. */
const STORING_SHARE = 0.25;

/** The deadline of a worker's calls; infinite until the worker stops. */
export class CallDeadline {
  readonly answerNow: Stop = new Stop();
  readonly #stop = new Stop();
  readonly #clock: Clock;
  readonly #calls = new Set<Deadline>();
  #endsAt = Infinity;
  #stopsAt = Infinity;
  #graceMs = GRACE_MS;
  #cancels: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  remainingTimeMs(): number {
    return this.#endsAt - this.#clock.now();
  }

  /** Ends all calls within `limitMs`. Handlers are told to stop earlier: `graceMs` and time to store. */
  end(limitMs: number, graceMs: number): void {
    this.#endsAt = this.#clock.now() + limitMs;
    this.#graceMs = graceMs;
    const stopInMs = Math.max(limitMs - graceMs - limitMs * STORING_SHARE, 0);
    this.#stopsAt = this.#clock.now() + stopInMs;
    this.#cancels = [
      this.#clock.setTimer(() => this.#stopCalls(), stopInMs),
      this.#clock.setTimer(() => this.#answerNow(), limitMs),
    ];
  }

  endNow(): void {
    for (const cancel of this.#cancels) cancel();
    this.#stopCalls();
    this.#answerNow();
  }

  /** Returns the deadline of one call. Cancel it with the call, to drop its listeners before the stop. */
  ofCall(): Deadline {
    const all = this; // oxlint-disable-line typescript/no-this-alias -- its getters tell of what changes
    const call: Deadline = {
      stop: new Stop(),
      answerNow: new Stop(),
      get endsAt() {
        return all.#endsAt;
      },
      get stopsAt() {
        return all.#stopsAt;
      },
      get graceMs() {
        return all.#graceMs;
      },
      remainingTimeMs: () => all.remainingTimeMs(),
      cancel: () => void all.#calls.delete(call),
    };
    if (this.#stop.aborted) call.stop.abort();
    if (this.answerNow.aborted) call.answerNow.abort();
    this.#calls.add(call);
    return call;
  }

  #stopCalls(): void {
    this.#stop.abort();
    for (const { stop } of this.#calls) stop.abort();
  }

  #answerNow(): void {
    this.answerNow.abort();
    for (const { answerNow } of this.#calls) answerNow.abort();
  }
}

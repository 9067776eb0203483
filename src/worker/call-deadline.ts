import type { Deadline } from '../attempts/deadline.ts';
import { type Clock } from '../base/clock.ts';
import { Stop } from '../base/stop.ts';

/** How long a handler that overran `recordTimeoutMs` may take to end, in milliseconds. */
const GRACE_MS = 500;
/** The share of the shutdown time that is reserved for storing how handlers ended. */
const STORING_SHARE = 0.25;

/** The times of all calls of a worker. They change when it stops. */
type Times = { -readonly [Name in 'endsAt' | 'stopsAt' | 'graceMs']: Deadline[Name] };

/** The deadline of a worker's calls; infinite until the worker stops. */
export class CallDeadline {
  readonly answerNow: Stop = new Stop();
  readonly #stop = new Stop();
  readonly #clock: Clock;
  readonly #calls = new Set<Deadline>();
  readonly #times: Times = { endsAt: Infinity, stopsAt: Infinity, graceMs: GRACE_MS };
  #cancels: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends all calls within `limitMs`. Handlers are told to stop earlier: `graceMs` and time to store. */
  end(limitMs: number, graceMs: number): void {
    const stopInMs = Math.max(limitMs - graceMs - limitMs * STORING_SHARE, 0);
    this.#times.endsAt = this.#clock.now() + limitMs;
    this.#times.stopsAt = this.#clock.now() + stopInMs;
    this.#times.graceMs = graceMs;
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
    const call = new DeadlineOfCall(this.#times, this.#clock, this.#calls);
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

class DeadlineOfCall implements Deadline {
  readonly stop: Stop = new Stop();
  readonly answerNow: Stop = new Stop();
  readonly #times: Times;
  readonly #clock: Clock;
  readonly #calls: Set<Deadline>;

  constructor(times: Times, clock: Clock, calls: Set<Deadline>) {
    this.#times = times;
    this.#clock = clock;
    this.#calls = calls;
  }

  get endsAt(): number {
    return this.#times.endsAt;
  }

  get stopsAt(): number {
    return this.#times.stopsAt;
  }

  get graceMs(): number {
    return this.#times.graceMs;
  }

  remainingTimeMs(): number {
    return this.endsAt - this.#clock.now();
  }

  cancel(): void {
    this.#calls.delete(this);
  }
}

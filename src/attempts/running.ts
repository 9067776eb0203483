import { waitAtMost } from '../base/clock.ts';
import type { Attempt } from './attempt.ts';
import type { StopReason } from './work.ts';
import { extend } from './lease.ts';
import type { AttemptTime } from './scope.ts';

/** A timer that fires so late was delayed by a busy event loop. */
const BUSY_LOOP_MS = 250;
/** How long a handler whose lease is over runs on while its renewal is asked for. */
const LATE_RENEWAL_MS = 1_000;

/**
 * The attempts of one invocation whose handlers run. One timer watches the leases of all. Where a lease outlives the
 * invocation the deadline comes first, and there is no timer.
 */
export class Running implements Iterable<Attempt> {
  readonly #time: AttemptTime;
  readonly #attempts = new Set<Attempt>();
  #timerAt = Infinity;
  #cancelTimer: (() => void) | undefined;

  constructor(time: AttemptTime) {
    this.#time = time;
  }

  add(attempt: Attempt): void {
    this.#attempts.add(attempt);
    if (attempt.leaseUntil < this.#timerAt && attempt.leaseUntil <= this.#time.deadline.endsAt) {
      this.#setTimer(attempt.leaseUntil);
    }
  }

  delete(attempt: Attempt): void {
    this.#attempts.delete(attempt);
    if (this.#attempts.size === 0 && this.#timerAt !== Infinity) this.#setTimer(Infinity);
  }

  [Symbol.iterator](): Iterator<Attempt> {
    return this.#attempts.values();
  }

  stopAll(reason: StopReason, graceMs: number): void {
    for (const attempt of this.#attempts) attempt.stop(reason, graceMs);
  }

  #watch({ leaseUntil }: Attempt): void {
    if (leaseUntil < this.#timerAt && leaseUntil <= this.#time.deadline.endsAt) this.#setTimer(leaseUntil);
  }

  #setTimer(at: number): void {
    const { clock } = this.#time;
    this.#cancelTimer?.();
    this.#timerAt = at;
    this.#cancelTimer =
      at === Infinity ? undefined : clock.setTimer(() => this.#endLeases(), at - clock.now());
  }

  /** Since the timer was set leases may have been extended, and attempts have ended: the next is looked for. */
  #endLeases(): void {
    const now = this.#time.clock.now();
    this.#setTimer(Infinity);
    for (const attempt of this.#attempts) {
      if (attempt.isCommitted || attempt.isStopped) continue;
      if (attempt.leaseUntil > now) this.#watch(attempt);
      else void this.#endLease(attempt, now);
    }
  }

  /**
   * The lease is over. If the event loop was too busy to renew it in time, it is renewed now: perhaps no other attempt has
   * taken over. The handler is still awaited, because its end is stored if no one took over.
   */
  async #endLease(attempt: Attempt, now: number): Promise<void> {
    const { clock, renewal, leaseMs } = this.#time;
    if (now - attempt.leaseUntil >= BUSY_LOOP_MS && renewal !== undefined) {
      await waitAtMost(clock, LATE_RENEWAL_MS, extend(attempt, leaseMs()));
      if (attempt.leaseUntil > clock.now()) return this.#watch(attempt);
    }
    attempt.stopForLease();
  }
}

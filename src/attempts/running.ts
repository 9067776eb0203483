import { waitAtMost } from '../base/clock.ts';
import type { Attempt } from './attempt.ts';
import type { StopReason } from './work.ts';
import { extend } from './lease.ts';
import type { AttemptTime } from './scope.ts';

/** A timer that fires this late was delayed by a busy event loop. */
const BUSY_LOOP_MS = 250;
/** How long a handler whose lease is over may run on while a renewal is pending. */
const LATE_RENEWAL_MS = 1_000;

/** The attempts whose handlers run. One timer watches all leases that end before the invocation. */
export class Running implements Iterable<Attempt> {
  readonly #time: AttemptTime;
  readonly #attempts: Iterable<Attempt | undefined>;
  #timerAt = Infinity;
  #cancelTimer: (() => void) | undefined;

  /** `attempts` are all of the invocation, running or not. */
  constructor(time: AttemptTime, attempts: Iterable<Attempt | undefined>) {
    this.#time = time;
    this.#attempts = attempts;
  }

  /** Watches a lease. Called before the handler, and when the lease has changed. */
  watch(attempt: Attempt): void {
    const { leaseUntil } = attempt;
    if (leaseUntil >= this.#timerAt || leaseUntil > this.#time.deadline.endsAt) return;
    if (attempt.hasClaim) this.#setTimer(leaseUntil); // else it has no lease
  }

  /** Called when the invocation is over. Handlers that still run are stopped when their leases end. */
  leave(): void {
    if (this.#timerAt !== Infinity && [...this].length === 0) this.#setTimer(Infinity);
  }

  *[Symbol.iterator](): Generator<Attempt> {
    for (const attempt of this.#attempts) if (attempt?.state === 'running') yield attempt;
  }

  stopAll(reason: StopReason, graceMs: number): void {
    for (const attempt of this) attempt.stop(reason, graceMs);
  }

  #setTimer(at: number): void {
    const { clock } = this.#time;
    this.#cancelTimer?.();
    this.#timerAt = at;
    this.#cancelTimer =
      at === Infinity ? undefined : clock.setTimer(() => this.#endLeases(), at - clock.now());
  }

  /** Ends lapsed leases and sets the next timer: leases may have been extended meanwhile. */
  #endLeases(): void {
    const now = this.#time.clock.now();
    this.#setTimer(Infinity);
    for (const attempt of this) {
      if (!attempt.hasClaim || attempt.isCommitted || attempt.isStopped) continue;
      if (attempt.leaseUntil > now) this.watch(attempt);
      else void this.#endLease(attempt, now);
    }
  }

  /**
   * Handles a lease that is over. After a delay of the event loop it is renewed late: perhaps nobody has
   * taken over. The handler is still awaited, because its end is stored if nobody has.
   */
  async #endLease(attempt: Attempt, now: number): Promise<void> {
    const { clock, renewal, leaseMs } = this.#time;
    if (now - attempt.leaseUntil >= BUSY_LOOP_MS && renewal !== undefined) {
      await waitAtMost(clock, LATE_RENEWAL_MS, extend(attempt, leaseMs()));
      if (attempt.leaseUntil > clock.now()) return this.watch(attempt);
    }
    attempt.stopForLease();
  }
}

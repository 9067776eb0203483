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
 * Those of the attempts of one invocation whose handlers run. One timer watches the leases of all. Where a lease outlives the
 * invocation the deadline comes first, and there is no timer.
 */
export class Running implements Iterable<Attempt> {
  readonly #time: AttemptTime;
  readonly #attempts: Iterable<Attempt | undefined>;
  #timerAt = Infinity;
  #cancelTimer: (() => void) | undefined;

  /** `attempts` are all of the invocation, those that do not run too. */
  constructor(time: AttemptTime, attempts: Iterable<Attempt | undefined>) {
    this.#time = time;
    this.#attempts = attempts;
  }

  /** To be called before its handler is called, and when its lease is another. */
  watch({ leaseUntil }: Attempt): void {
    if (leaseUntil < this.#timerAt && leaseUntil <= this.#time.deadline.endsAt) this.#setTimer(leaseUntil);
  }

  /** The invocation is over. What runs on all the same is stopped when its lease is over. */
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

  /** Since the timer was set leases may have been extended, and attempts have ended: the next is looked for. */
  #endLeases(): void {
    const now = this.#time.clock.now();
    this.#setTimer(Infinity);
    for (const attempt of this) {
      if (attempt.isCommitted || attempt.isStopped) continue;
      if (attempt.leaseUntil > now) this.watch(attempt);
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
      if (attempt.leaseUntil > clock.now()) return this.watch(attempt);
    }
    attempt.stopForLease();
  }
}

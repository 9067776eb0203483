import type { ClaimStore, SettleOutcome } from '../claims/claim-store.ts';
import type { Clock } from '../claims/clock.ts';
import { LeaseLostError } from '../claims/attempt-errors.ts';
import { StoreError } from '../claims/errors.ts';
import { WatchedSignal } from '../claims/watched-signal.ts';

interface KeptLease {
  readonly key: string;
  readonly owner: string;
  leaseUntil: number;
}

export interface LeaseKeeperOptions {
  readonly store: ClaimStore;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly retentionMs: number;
  /** Whether the lease is renewed when half of it is over, again and again. */
  readonly heartbeat: boolean;
}

/** After an extension that failed the next is not tried at once. */
const SHORTEST_BEAT_MS = 100;

/**
 * Looks after the lease of one running attempt: its signal is aborted when the lease is over, or found to be
 * somebody else's. A heartbeat keeps it from getting there. `stop` ends both before the attempt is settled; an
 * extension that is still under way then is refused by the store, and what became of it is nobody's business.
 */
export class LeaseKeeper {
  readonly #lease: KeptLease;
  readonly #options: LeaseKeeperOptions;
  readonly #watched = new WatchedSignal();
  #isDone = false;
  #cancelWatch: (() => void) | undefined;
  #cancelBeat: (() => void) | undefined;
  #isStopped = false;

  constructor(lease: KeptLease, options: LeaseKeeperOptions) {
    this.#lease = lease;
    this.#options = options;
  }

  get signal(): AbortSignal {
    return this.#watched.signal;
  }

  /** Why the attempt was told to stop, where it has seen that and has not said that it is done all the same. */
  get interruption(): Error | undefined {
    return this.#watched.hasSeenAbort && !this.#isDone ? this.#watched.reason : undefined;
  }

  /** The work is done, whatever the signal says. */
  done(): void {
    this.#isDone = true;
  }

  get leaseUntil(): number {
    return this.#lease.leaseUntil;
  }

  start(): void {
    this.#watch();
    if (this.#options.heartbeat) this.#scheduleBeat();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelWatch?.();
    this.#cancelBeat?.();
  }

  /** Makes the lease last at least `minimumMs` from now; it never becomes shorter. Never rejects. */
  async extend(minimumMs: number): Promise<SettleOutcome> {
    const { store, clock, retentionMs } = this.#options;
    const { key, owner } = this.#lease;
    const askedAt = clock.now();
    const leaseMs = Math.max(minimumMs, this.#lease.leaseUntil - askedAt);
    let outcome: SettleOutcome | undefined;
    try {
      [outcome] = await store.extend([{ key, owner, leaseMs, retentionMs }]);
    } catch (thrown) {
      return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
    }
    // The store's lease begins when it writes; what the function is told must not be later than that.
    if (outcome === 'stored') this.#lease.leaseUntil = Math.max(this.#lease.leaseUntil, askedAt + leaseMs);
    if (!this.#isStopped && outcome === 'stored') this.#watch();
    if (!this.#isStopped && outcome === 'lost') this.#giveUp();
    return outcome ?? { error: new StoreError('The claim store gave no outcome', { isRetryable: false }) };
  }

  #watch(): void {
    const { clock } = this.#options;
    this.#cancelWatch?.();
    const leftMs = this.#lease.leaseUntil - clock.now();
    this.#cancelWatch = clock.setTimer(() => {
      // A timer may be shorter than a long lease.
      if (clock.now() < this.#lease.leaseUntil) this.#watch();
      else this.#giveUp();
    }, leftMs);
  }

  #scheduleBeat(): void {
    const { clock, leaseMs } = this.#options;
    const leftMs = this.#lease.leaseUntil - clock.now();
    const nextMs = Math.min(leaseMs / 2, Math.max(leftMs / 2, SHORTEST_BEAT_MS));
    this.#cancelBeat = clock.setTimer(() => void this.#beat(), nextMs);
  }

  async #beat(): Promise<void> {
    await this.extend(this.#options.leaseMs);
    if (!this.#isStopped && !this.#watched.isAborted) this.#scheduleBeat();
  }

  #giveUp(): void {
    this.#cancelBeat?.();
    this.#watched.abort(new LeaseLostError());
  }
}

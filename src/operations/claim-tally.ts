import { defined } from '../base/defined.ts';
import type { Claim } from '../claims/claim.ts';
import type { ClaimReading, ClaimState } from '../claims/claim-admin.ts';

/** How values lie, by nearest rank. */
export interface Distribution {
  /** Of how many claims. */
  readonly count: number;
  /** The least. */
  readonly min: number;
  /** Half of them are at most this. */
  readonly median: number;
  /** 95 of 100 are at most this. */
  readonly p95: number;
  /** The most. */
  readonly max: number;
}

/** The claims whose last attempt ended in one stretch of time. */
export interface StatisticsPeriod {
  /** Its begin, in epoch milliseconds: a multiple of `periodMs`. */
  readonly from: number;
  /** How many claims were completed in it. */
  readonly completed: number;
  /** How many failed in it, and have not been claimed since. */
  readonly failed: number;
  /** How many were parked in it, and still are. */
  readonly parked: number;
  /** Of those completed, as `ClaimStatistics.waitingMs`. */
  readonly waitingMs?: Distribution;
  /** Of those completed, as `ClaimStatistics.runningMs`. */
  readonly runningMs?: Distribution;
}

/** What the claims of a table tell by themselves. */
export interface ClaimStatistics extends Pick<
  ClaimReading,
  'rowsRead' | 'readUnits' | 'unreadable' | 'newer'
> {
  /** How many claims are in each state. */
  readonly counts: Readonly<Record<ClaimState, number>>;
  /** The overdue claim whose lease ended first; absent where there is none. */
  readonly oldestOverdue?: Claim;
  /** Of completed claims, milliseconds from the first claim of the key to that of the attempt that completed it. */
  readonly waitingMs?: Distribution;
  /** Of completed claims, milliseconds from there to the completion. Without those that a person resolved. */
  readonly runningMs?: Distribution;
  /** How many times keys were claimed. */
  readonly attempts?: Distribution;
  /** The same over time, by when claims ended: the latest 1,000 in which any did, oldest first. Only with `periodMs`. */
  readonly periods?: readonly StatisticsPeriod[];
  /** Whether every row was seen. Otherwise all of this is of those that were. */
  readonly isWhole: boolean;
  /** Where to go on; absent when every row was seen. */
  readonly next?: string;
}

const MOST_PERIODS = 1_000;

/** Counts claims, as a whole and, with `periodMs`, by when they ended. */
export class ClaimTally {
  readonly #counts: Record<ClaimState, number> = {
    'in-progress': 0,
    overdue: 0,
    failed: 0,
    parked: 0,
    completed: 0,
  };
  readonly #times = new Times();
  readonly #attempts: number[] = [];
  readonly #periodMs: number | undefined;
  readonly #periods = new Map<number, Period>();
  #oldest: Claim | undefined;

  constructor(periodMs: number | undefined) {
    this.#periodMs = periodMs;
  }

  add(claim: Claim, state: ClaimState): void {
    this.#counts[state] += 1;
    this.#attempts.push(claim.attempt);
    if (state === 'overdue' && claim.leaseUntil < (this.#oldest?.leaseUntil ?? Infinity))
      this.#oldest = claim;
    if (state === 'completed') this.#times.add(claim);
    if (state === 'completed' || state === 'failed' || state === 'parked') this.#addEnd(claim, state);
  }

  #addEnd(claim: Claim, state: 'completed' | 'failed' | 'parked'): void {
    const endedAt = claim.completedAt ?? claim.updatedAt;
    if (this.#periodMs === undefined || endedAt === 0) return; // rows of Powertools do not tell when
    const from = endedAt - (endedAt % this.#periodMs);
    const period = this.#periods.get(from) ?? new Period();
    this.#periods.set(from, period);
    period.counts[state] += 1;
    if (state === 'completed') period.add(claim);
  }

  result(): Omit<ClaimStatistics, keyof ClaimReading | 'isWhole'> {
    return {
      counts: { ...this.#counts },
      ...this.#times.result(),
      ...defined({
        oldestOverdue: this.#oldest,
        attempts: distributionOf(this.#attempts),
        periods: this.#periodMs === undefined ? undefined : inOrder(this.#periods),
      }),
    };
  }
}

function inOrder(periods: ReadonlyMap<number, Period>): readonly StatisticsPeriod[] {
  const sorted = [...periods].toSorted(([one], [other]) => one - other).slice(-MOST_PERIODS);
  return sorted.map(([from, period]) => ({ from, ...period.counts, ...period.result() }));
}

/** How long a claim waited and ran, in milliseconds. Negative where clocks of two machines wrote the times. */
export interface ClaimTimes {
  /** From its first attempt to its last. */
  readonly waitingMs?: number;
  /** From the start of its last attempt to its completion; absent for what a person completed. */
  readonly runningMs?: number;
}

/** How long completed claims waited and ran. */
class Times {
  readonly #waiting: number[] = [];
  readonly #running: number[] = [];

  add(claim: Claim): void {
    const { waitingMs, runningMs } = timesOf(claim);
    if (waitingMs !== undefined) this.#waiting.push(Math.max(waitingMs, 0));
    if (runningMs !== undefined) this.#running.push(Math.max(runningMs, 0));
  }

  result(): Pick<StatisticsPeriod, 'waitingMs' | 'runningMs'> {
    return defined({ waitingMs: distributionOf(this.#waiting), runningMs: distributionOf(this.#running) });
  }
}

class Period extends Times {
  readonly counts = { completed: 0, failed: 0, parked: 0 };
}

/**
 * Returns how long a completed claim waited and ran, without what its row does not tell.
 *
 * @param claim Of the claims that are completed; nothing is known of others.
 */
export function timesOf({ createdAt, claimedAt = createdAt, completedAt, history }: Claim): ClaimTimes {
  // Rows of Powertools do not tell when they were made.
  if (createdAt === 0 || completedAt === undefined) return {};
  const isByHand = history?.some(({ operation, at }) => operation === 'resolve' && at === completedAt);
  return {
    waitingMs: claimedAt - createdAt,
    ...(isByHand !== true && { runningMs: completedAt - claimedAt }),
  };
}

/**
 * Returns how values lie, or undefined where there are none.
 *
 * @param values In any order.
 */
export function distributionOf(values: readonly number[]): Distribution | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  const rank = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  const [min] = sorted;
  if (min === undefined) return undefined;
  return { count: sorted.length, min, median: rank(0.5), p95: rank(0.95), max: rank(1) };
}

import { defined } from '../base/defined.ts';
import type { Claim } from '../claims/claim.ts';
import type { ClaimReading, ClaimState } from '../claims/claim-admin.ts';
import { type ParkedKind, parkedKindOf } from './parked-kind.ts';

/** A distribution of values. Percentiles are nearest ranks. */
export interface Distribution {
  /** The number of claims. */
  readonly count: number;
  /** The minimum. */
  readonly min: number;
  /** The median. */
  readonly median: number;
  /** The 95th percentile. */
  readonly p95: number;
  /** The maximum. */
  readonly max: number;
}

/** The claims whose last attempt ended in one period. */
export interface StatisticsPeriod {
  /** The start of the period, in epoch milliseconds: a multiple of `periodMs`. */
  readonly from: number;
  /** How many claims were completed in the period. */
  readonly completed: number;
  /** How many claims failed in the period and have not been claimed since. */
  readonly failed: number;
  /** How many claims were parked in the period and still are. */
  readonly parked: number;
  /** `ClaimStatistics.waitingMs` of the claims completed in the period, in milliseconds. */
  readonly waitingMs?: Distribution;
  /** `ClaimStatistics.runningMs` of the claims completed in the period, in milliseconds. */
  readonly runningMs?: Distribution;
}

/** Statistics of the claims in a table. */
export interface ClaimStatistics extends Pick<
  ClaimReading,
  'rowsRead' | 'readUnits' | 'unreadable' | 'newer'
> {
  /** The number of claims in each state. */
  readonly counts: Readonly<Record<ClaimState, number>>;
  /** The number of parked claims of each kind. Their sum is `counts.parked`. */
  readonly parkedKinds: Readonly<Record<ParkedKind, number>>;
  /** The overdue claim whose lease ended first; absent if no claim is overdue. */
  readonly oldestOverdue?: Claim;
  /** The time from the first attempt to the start of the last, in milliseconds. Completed claims only. */
  readonly waitingMs?: Distribution;
  /** The time from the last attempt's start to completion, in milliseconds. Not of resolved claims. */
  readonly runningMs?: Distribution;
  /** The number of times each key was claimed. */
  readonly attempts?: Distribution;
  /** The figures by when claims ended: the latest 1,000 periods, oldest first. Only with `periodMs`. */
  readonly periods?: readonly StatisticsPeriod[];
  /** Whether every row was read. If not, all figures cover the rows that were. */
  readonly isWhole: boolean;
  /** The cursor for the next call; absent when every row was read. */
  readonly next?: string;
}

const MOST_PERIODS = 1_000;

/** The counts of claims: in total and, with `periodMs`, by when they ended. */
export class ClaimTally {
  readonly #counts: Record<ClaimState, number> = {
    'in-progress': 0,
    overdue: 0,
    failed: 0,
    parked: 0,
    completed: 0,
  };
  readonly #parkedKinds: Record<ParkedKind, number> = { lapsed: 0, failed: 0, attempts: 0, done: 0 };
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
    const kind = parkedKindOf(claim);
    if (kind !== undefined) this.#parkedKinds[kind] += 1;
    this.#attempts.push(claim.attempt);
    if (state === 'overdue' && claim.leaseUntil < (this.#oldest?.leaseUntil ?? Infinity))
      this.#oldest = claim;
    if (state === 'completed') this.#times.add(claim);
    if (state === 'completed' || state === 'failed' || state === 'parked') this.#addEnd(claim, state);
  }

  #addEnd(claim: Claim, state: 'completed' | 'failed' | 'parked'): void {
    const endedAt = claim.completedAt ?? claim.updatedAt;
    if (this.#periodMs === undefined || endedAt === 0) return; // rows of Powertools hold no end time
    const from = endedAt - (endedAt % this.#periodMs);
    const period = this.#periods.get(from) ?? new Period();
    this.#periods.set(from, period);
    period.counts[state] += 1;
    if (state === 'completed') period.add(claim);
  }

  result(): Omit<ClaimStatistics, keyof ClaimReading | 'isWhole'> {
    return {
      counts: { ...this.#counts },
      parkedKinds: { ...this.#parkedKinds },
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

/** The time a claim waited and ran, in milliseconds. Negative when clocks of two machines disagree. */
export interface ClaimTimes {
  /** The time from the first attempt to the start of the last. */
  readonly waitingMs?: number;
  /** The time from the last attempt's start to completion; absent if a person completed the claim. */
  readonly runningMs?: number;
}

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
 * Returns how long a completed claim waited and ran, as far as its row says.
 *
 * @param claim The claim. The result is empty unless it is completed.
 */
export function timesOf({ createdAt, claimedAt = createdAt, completedAt, history }: Claim): ClaimTimes {
  // Rows of Powertools hold no creation time.
  if (createdAt === 0 || completedAt === undefined) return {};
  const isByHand = history?.some(({ operation, at }) => operation === 'resolve' && at === completedAt);
  return {
    waitingMs: claimedAt - createdAt,
    ...(isByHand !== true && { runningMs: completedAt - claimedAt }),
  };
}

/**
 * Returns the distribution of values, or undefined if there are none.
 *
 * @param values The values, in any order.
 */
export function distributionOf(values: readonly number[]): Distribution | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  const rank = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  const [min] = sorted;
  if (min === undefined) return undefined;
  return { count: sorted.length, min, median: rank(0.5), p95: rank(0.95), max: rank(1) };
}

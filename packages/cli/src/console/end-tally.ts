import {
  type Claim,
  type ClaimState,
  type Distribution,
  distributionOf,
  type StatisticsPeriod,
  timesOf,
} from 'batchlatch/operations';
import type { Histogram } from './api.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The possible lengths of a period: values that are easy to read. */
const PERIODS_MS: readonly number[] = [
  5 * SECOND,
  10 * SECOND,
  30 * SECOND,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
];
/** The number of periods that fit on a plot. */
const MOST_PERIODS = 180;

const BUCKETS_MS: readonly number[] = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 120_000, 300_000, 600_000,
  1_800_000, 3_600_000, 21_600_000, 86_400_000,
];

type EndState = 'completed' | 'failed' | 'parked';
type End = readonly [
  at: number,
  state: EndState,
  waitingMs: number | undefined,
  runningMs: number | undefined,
];

/** A tally of when and how claims ended, and of how long they waited and ran. */
export class EndTally {
  readonly #ends: End[] = [];
  readonly #attempts: number[] = [];
  #negative = 0;

  add(claim: Claim, state: ClaimState): void {
    this.#attempts.push(claim.attempt);
    if (state === 'in-progress' || state === 'overdue') return;
    const { waitingMs, runningMs } = state === 'completed' ? timesOf(claim) : {};
    if ((waitingMs ?? 0) < 0 || (runningMs ?? 0) < 0) this.#negative += 1;
    this.#ends.push([claim.completedAt ?? claim.updatedAt, state, floored(waitingMs), floored(runningMs)]);
  }

  /** Returns the statistics: of the last `lastMs` in periods of 5 s, or of all claims. */
  result(
    now: number,
    lastMs: number | undefined,
  ): {
    readonly waitingMs?: Histogram;
    readonly runningMs?: Histogram;
    readonly attempts?: Distribution;
    readonly periodMs: number;
    readonly periods: readonly StatisticsPeriod[];
    readonly negativeTimes: number;
  } {
    const waitingMs = histogramOf(present(this.#ends.map(([, , waiting]) => waiting)));
    const runningMs = histogramOf(present(this.#ends.map(([, , , running]) => running)));
    const attempts = distributionOf(this.#attempts);
    return {
      ...(waitingMs !== undefined && { waitingMs }),
      ...(runningMs !== undefined && { runningMs }),
      ...(attempts !== undefined && { attempts }),
      ...periodsOf(this.#ends, now, lastMs),
      negativeTimes: this.#negative,
    };
  }
}

/** Clocks of two machines may differ, so an end may be before its begin. */
function floored(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.max(ms, 0);
}

function present(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined);
}

export function histogramOf(values: readonly number[]): Histogram | undefined {
  const distribution = distributionOf(values);
  if (distribution === undefined) return undefined;
  const counts = Array.from({ length: BUCKETS_MS.length + 1 }, () => 0);
  for (const value of values) {
    const at = BUCKETS_MS.findIndex((upTo) => value <= upTo);
    const bucket = at === -1 ? BUCKETS_MS.length : at;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  const buckets = counts.map((count, index) => {
    const upTo = BUCKETS_MS[index];
    return { ...(upTo !== undefined && { upTo }), count };
  });
  return { ...distribution, buckets };
}

function periodsOf(
  all: readonly End[],
  now: number,
  lastMs: number | undefined,
): { readonly periodMs: number; readonly periods: readonly StatisticsPeriod[] } {
  // Rows of Powertools have no end time.
  const ends = all.filter(([at]) => at > 0 && (lastMs === undefined || at > now - lastMs));
  const periodMs = lastMs === undefined ? lengthFor(ends) : (PERIODS_MS[0] as number);
  const byFrom = new Map<number, End[]>();
  for (const end of ends) {
    const from = end[0] - (end[0] % periodMs);
    const period = byFrom.get(from);
    if (period === undefined) byFrom.set(from, [end]);
    else period.push(end);
  }
  const periods = [...byFrom]
    .toSorted(([one], [other]) => one - other)
    .slice(-MOST_PERIODS - 1)
    .map(([from, ended]) => periodOf(from, ended));
  return { periodMs, periods };
}

function lengthFor(ends: readonly End[]): number {
  let [first, last] = [Infinity, -Infinity];
  for (const [at] of ends) [first, last] = [Math.min(first, at), Math.max(last, at)];
  return PERIODS_MS.find((length) => last - first <= length * MOST_PERIODS) ?? DAY;
}

function periodOf(from: number, ends: readonly End[]): StatisticsPeriod {
  const count = (state: EndState): number => ends.filter(([, ended]) => ended === state).length;
  const waitingMs = distributionOf(present(ends.map(([, , waiting]) => waiting)));
  const runningMs = distributionOf(present(ends.map(([, , , running]) => running)));
  return {
    from,
    completed: count('completed'),
    failed: count('failed'),
    parked: count('parked'),
    ...(waitingMs !== undefined && { waitingMs }),
    ...(runningMs !== undefined && { runningMs }),
  };
}

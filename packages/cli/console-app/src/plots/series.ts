import type { Distribution, StatisticsPeriod } from '../api-types.ts';

/** The columns of a plot: seconds since 1970, then the values. */
export type Columns = readonly (readonly (number | null)[])[];

/** More points could not be told apart. */
const MOST_POINTS = 1_000;

/** Returns an entry for each period of the span. `periods` omits those in which nothing ended. */
export function wholeSpan(
  periods: readonly StatisticsPeriod[],
  periodMs: number,
  until: number,
  fewest = 30,
): readonly StatisticsPeriod[] {
  const last = until - (until % periodMs);
  const known = new Map(periods.map((period) => [period.from, period]));
  const first = Math.min(periods[0]?.from ?? last, last - (fewest - 1) * periodMs);
  const from = Math.max(first, last - (MOST_POINTS - 1) * periodMs);
  const length = Math.floor((last - from) / periodMs) + 1;
  return Array.from({ length }, (_, index) => {
    const at = from + index * periodMs;
    return known.get(at) ?? { from: at, completed: 0, failed: 0, parked: 0 };
  });
}

/** Merges periods until there are at most `most`: thinner bars could not be told apart. */
export function coarser(
  periods: readonly StatisticsPeriod[],
  periodMs: number,
  most = 75,
): { readonly periods: readonly StatisticsPeriod[]; readonly periodMs: number } {
  const factor = Math.ceil(periods.length / most);
  if (factor <= 1) return { periods, periodMs };
  const longMs = periodMs * factor;
  const sums = new Map<number, { from: number; completed: number; failed: number; parked: number }>();
  for (const { from: at, completed, failed, parked } of periods) {
    const from = at - (at % longMs);
    const sum = sums.get(from) ?? { from, completed: 0, failed: 0, parked: 0 };
    sum.completed += completed;
    sum.failed += failed;
    sum.parked += parked;
    sums.set(from, sum);
  }
  return { periods: [...sums.values()], periodMs: longMs };
}

/** Returns outcomes as layers: all, failed and parked, parked. */
export function stackedOutcomes(periods: readonly StatisticsPeriod[]): Columns {
  return [
    periods.map(({ from }) => from / 1_000),
    periods.map(({ completed, failed, parked }) => completed + failed + parked),
    periods.map(({ failed, parked }) => failed + parked),
    periods.map(({ parked }) => parked),
  ];
}

/**
 * Returns median and 95th percentile of waiting and running times, in milliseconds; null if nothing ended.
 * A time below 1 ms is 1: a logarithmic axis has no zero.
 */
export function times(periods: readonly StatisticsPeriod[]): Columns {
  return [
    periods.map(({ from }) => from / 1_000),
    periods.map(({ waitingMs }) => value(waitingMs, 'median')),
    periods.map(({ waitingMs }) => value(waitingMs, 'p95')),
    periods.map(({ runningMs }) => value(runningMs, 'median')),
    periods.map(({ runningMs }) => value(runningMs, 'p95')),
  ];
}

function value(distribution: Distribution | undefined, name: 'median' | 'p95'): number | null {
  const number = distribution?.[name] ?? Number.NaN;
  return Number.isFinite(number) ? Math.max(number, 1) : null;
}

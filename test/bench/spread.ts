import type { Spread } from '../../lab/bench/statistics.ts';

/** The spread of values that are all the same. */
export function spread(median: number): Spread {
  return { median, low: median, high: median, mean: median, count: 1 };
}

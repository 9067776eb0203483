import type { Histogram } from '../api-types.ts';

/** One row of a histogram. */
export type Bucket = Histogram['buckets'][number];

/** Fewer rows would look like something is missing. */
const FEWEST = 6;

/** The buckets between the first and the last that hold anything, and one more on each side. */
export function shownBuckets(buckets: readonly Bucket[]): readonly Bucket[] {
  const first = buckets.findIndex(({ count }) => count > 0);
  if (first === -1) return [];
  const last = buckets.findLastIndex(({ count }) => count > 0);
  const from = Math.max(0, Math.min(first - 1, buckets.length - FEWEST));
  return buckets.slice(from, Math.max(last + 2, from + FEWEST));
}

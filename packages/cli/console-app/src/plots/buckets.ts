import type { Histogram } from '../api-types.ts';

/** A row of a histogram. */
export type Bucket = Histogram['buckets'][number];

/** A row with the value that all of its values are above; 0 for the first. */
export interface ShownBucket extends Bucket {
  readonly from: number;
}

/** Fewer rows look incomplete. */
const FEWEST = 6;

/** Returns the buckets between the first and the last with content, and one more on each side. */
export function shownBuckets(buckets: readonly Bucket[]): readonly ShownBucket[] {
  const first = buckets.findIndex(({ count }) => count > 0);
  if (first === -1) return [];
  const last = buckets.findLastIndex(({ count }) => count > 0);
  const from = Math.max(0, Math.min(first - 1, buckets.length - FEWEST));
  const shown = buckets.slice(from, Math.max(last + 2, from + FEWEST));
  return shown.map((bucket, index) => ({ ...bucket, from: buckets[from + index - 1]?.upTo ?? 0 }));
}

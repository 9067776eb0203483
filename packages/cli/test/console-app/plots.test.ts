import { describe, expect, it } from '@jest/globals';
import { shownBuckets } from '../../console-app/src/plots/buckets.ts';
import { coarser, stackedOutcomes, times, wholeSpan } from '../../console-app/src/plots/series.ts';

const period = (
  from: number,
  completed: number,
): { from: number; completed: number; failed: number; parked: number } => ({
  from,
  completed,
  failed: 1,
  parked: 2,
});
const ended = { count: 1, min: 3, median: 3, p95: 3, max: 3 };

describe('wholeSpan', () => {
  it('has a period for each stretch in which nothing ended', () => {
    const span = wholeSpan([period(10_000, 1), period(25_000, 2)], 5_000, 31_000, 1);
    expect(span.map(({ from, completed }) => [from, completed])).toEqual([
      [10_000, 1],
      [15_000, 0],
      [20_000, 0],
      [25_000, 2],
      [30_000, 0],
    ]);
  });

  it('is never empty and never endless', () => {
    expect(wholeSpan([], 5_000, 1_000_000)).toHaveLength(30);
    expect(wholeSpan([period(0, 1)], 5_000, 1e12)).toHaveLength(1_000);
  });
});

describe('what is drawn', () => {
  it('stacks outcomes, so that the top is all of them', () => {
    expect(stackedOutcomes([period(5_000, 4)])).toEqual([[5], [7], [3], [2]]);
  });

  it('has gaps where nothing ended', () => {
    expect(times([{ ...period(5_000, 1), waitingMs: ended }])).toEqual([[5], [3], [3], [null], [null]]);
  });

  it('joins periods that would be too thin, and loses none', () => {
    const periods = Array.from({ length: 180 }, (_, index) => period(index * 5_000, 1));
    const { periods: joined, periodMs } = coarser(periods, 5_000, 75);
    expect(periodMs).toBe(15_000);
    expect(joined).toHaveLength(60);
    expect(joined.reduce((sum, { completed }) => sum + completed, 0)).toBe(180);
  });
});

describe('shownBuckets', () => {
  const buckets = (...counts: readonly number[]): { upTo: number; count: number }[] =>
    counts.map((count, index) => ({ upTo: 10 ** index, count }));

  it('leaves out the empty ends', () => {
    const shown = shownBuckets(buckets(0, 0, 0, 1, 0, 2, 0, 3, 0, 0, 0));
    expect(shown.map(({ count }) => count)).toEqual([0, 1, 0, 2, 0, 3, 0]);
  });

  it('shows some rows even where all values are in one', () => {
    expect(shownBuckets(buckets(5, 0, 0, 0, 0, 0, 0, 0))).toHaveLength(6);
    expect(shownBuckets(buckets(0, 0, 0, 0, 0, 0, 0, 5))).toHaveLength(6);
    expect(shownBuckets(buckets(0, 0))).toEqual([]);
  });
});

describe('the rows of a histogram', () => {
  it('each begin where the one before ends', () => {
    const buckets = [1, 2, 5, 10, 20, 50, 100, 200].map((upTo) => ({ upTo, count: upTo === 10 ? 3 : 0 }));
    expect(shownBuckets(buckets).map(({ from, upTo }) => [from, upTo])).toEqual([
      [2, 5],
      [5, 10],
      [10, 20],
      [20, 50],
      [50, 100],
      [100, 200],
    ]);
  });
});

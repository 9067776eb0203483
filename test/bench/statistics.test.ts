import { describe, expect, test } from '@jest/globals';
import { growthExponent, pairedRatio, quantile, slope, spreadOf } from '../../lab/bench/statistics.ts';

describe('the statistics of the benchmark', () => {
  test('interpolates a quantile between its neighbours, in any order of the values', () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([4, 1, 3, 2], 0)).toBe(1);
    expect(quantile([4, 1, 3, 2], 1)).toBe(4);
    expect(quantile([7], 0.99)).toBe(7);
  });

  test('refuses a quantile of nothing', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });

  test('gives a median with its quartiles', () => {
    expect(spreadOf([6, 1, 2, 4, 3])).toEqual({ median: 3, low: 2, high: 4, mean: 3.2, count: 5 });
  });

  test('pairs rounds, so that a slow round of both sides leaves the ratio alone', () => {
    const ratio = pairedRatio([10, 100, 10], [5, 50, 5]);
    expect(ratio).toEqual({ median: 2, low: 2, high: 2, mean: 2, count: 3 });
    expect(() => pairedRatio([1], [1, 2])).toThrow('Rounds do not pair: 1 and 2');
  });

  test('tells linear growth from none', () => {
    expect(growthExponent([10, 100, 1_000].map((x) => [x, 7 * x]))).toBeCloseTo(1);
    expect(growthExponent([10, 100, 1_000].map((x) => [x, 7]))).toBeCloseTo(0);
    expect(growthExponent([10, 100, 1_000].map((x) => [x, 7 * x * x]))).toBeCloseTo(2);
  });

  test('fits a line', () => {
    expect(
      slope([
        [0, 1],
        [1, 3],
        [2, 5],
      ]),
    ).toBeCloseTo(2);
    expect(() => slope([[1, 1]])).toThrow('two places');
  });
});

import { describe, expect, it } from '@jest/globals';
import { coresOf, processesFor, type SharedLimits, shareOf } from '../../src/cli/worker/process-count.ts';

const sharesOf = (limits: SharedLimits, count: number): SharedLimits[] =>
  Array.from({ length: count }, (_, index) => shareOf(limits, { number: index + 1, count }));

describe('How many processes work', () => {
  it.each([
    [8, 'max 100000', 8],
    [8, '250000 100000', 2],
    [8, '25000 100000', 1],
    [2, '800000 100000', 2],
    [4, '', 4],
  ])('of %d cores with the CPU quota "%s": %d', (cores, quota, expected) => {
    expect(coresOf(cores, quota)).toBe(expected);
  });

  it('by default, no more than the smallest limit', () => {
    expect(processesFor(undefined, { maxInFlight: 1 })).toBe(1);
    expect(processesFor(undefined, { maxInFlight: 10, rate: { records: 1, perMs: 60_000 } })).toBe(1);
    expect(processesFor(undefined, { concurrencyPerGroup: 1 })).toBe(1);
  });

  it('as many as asked for, and an error where one would have no share', () => {
    expect(processesFor(4, { maxInFlight: 4 })).toBe(4);
    expect(() => processesFor(4, { maxInFlight: 100, concurrencyPerGroup: 3 })).toThrow(
      /^--processes 4 is more than a limit of 3 can be divided by: give --processes 3 or less/,
    );
  });
});

describe('The share of a process', () => {
  it('of all processes together makes the whole', () => {
    const shares = sharesOf({ maxInFlight: 10, concurrencyPerGroup: 3 }, 3);
    expect(shares.map(({ maxInFlight }) => maxInFlight)).toEqual([4, 3, 3]);
    expect(shares.map(({ concurrencyPerGroup }) => concurrencyPerGroup)).toEqual([1, 1, 1]);
  });

  it('of a rate is whole records in a time of its own, never more than the rate in all', () => {
    expect(sharesOf({ rate: { records: 100, perMs: 1_000 } }, 3)).toEqual(
      Array.from({ length: 3 }, () => ({ rate: { records: 33, perMs: 990 } })),
    );
    for (const records of [2, 7, 99, 1_000]) {
      const all = sharesOf({ rate: { records, perMs: 1_000 } }, 2);
      const perMs = all.reduce((sum, { rate }) => sum + (rate?.records ?? 0) / (rate?.perMs ?? 1), 0);
      expect(perMs).toBeLessThanOrEqual(records / 1_000);
      expect(perMs).toBeGreaterThan((records / 1_000) * 0.99);
    }
  });

  it('is nothing of what is not limited', () => {
    expect(shareOf({}, { number: 1, count: 2 })).toEqual({});
  });
});

import { describe, expect, it } from '@jest/globals';
import { defaultLeaseMs } from '../../src/attempts/lease.ts';

describe('a lease whose length nobody gives', () => {
  it.each([
    ['outlasts the invocation by a second', 30_000, 31_000],
    ['is in whole milliseconds', 1.2, 1_002],
    ['is a second when the time is over', 0, 1_000],
    ['never becomes shorter than that', -500, 1_000],
    ['is a minute outside an invocation', Infinity, 60_000],
    ['is a minute where the time is no number', Number.NaN, 60_000],
    ['is a minute where the time is longer than any invocation lasts', 2 ** 31 - 1, 60_000],
  ])('%s', (_, remainingTimeMs, leaseMs) => {
    expect(defaultLeaseMs(remainingTimeMs)).toBe(leaseMs);
  });
});

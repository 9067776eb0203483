import { describe, expect, it } from '@jest/globals';
import type { Claim } from 'batchlatch/operations';
import { EndTally } from '../../src/console/end-tally.ts';

const NOW = Date.UTC(2026, 0, 10, 12);
const MINUTE = 60_000;

function completed(endedAt: number, waitingMs: number, runningMs: number): Claim {
  return {
    key: 'k',
    status: 'COMPLETED',
    owner: 'o',
    attempt: 1,
    releases: 0,
    crashes: 0,
    leaseUntil: endedAt,
    createdAt: endedAt - runningMs - waitingMs,
    claimedAt: endedAt - runningMs,
    updatedAt: endedAt,
    completedAt: endedAt,
  };
}

describe('EndTally', () => {
  it('counts ends in periods of 5 seconds of the last stretch of time', () => {
    const tally = new EndTally();
    for (const ago of [1_000, 2_000, 8_000, 16 * MINUTE])
      tally.add(completed(NOW - ago, 10, 20), 'completed');
    tally.add({ ...completed(NOW - 1_000, 0, 0), status: 'PARKED' }, 'parked');
    tally.add({ ...completed(NOW, 0, 0), status: 'IN_PROGRESS' }, 'in-progress');
    const { periodMs, periods } = tally.result(NOW, 15 * MINUTE);
    expect([periodMs, periods]).toEqual([
      5_000,
      [
        expect.objectContaining({ from: NOW - 10_000, completed: 1, failed: 0, parked: 0 }),
        expect.objectContaining({
          from: NOW - 5_000,
          completed: 2,
          failed: 0,
          parked: 1,
          waitingMs: expect.objectContaining({ count: 2, median: 10 }),
        }),
      ],
    ]);
  });

  it.each([
    [10 * MINUTE, 5_000],
    [60 * MINUTE, 30_000],
    [24 * 60 * MINUTE, 15 * MINUTE],
    [7 * 24 * 60 * MINUTE, 60 * MINUTE],
    [1_000 * 24 * 60 * MINUTE, 24 * 60 * MINUTE],
  ])('makes periods as long as %d ms ask for', (span, expected) => {
    const tally = new EndTally();
    for (let index = 0; index <= 1_000; index += 1)
      tally.add(completed(NOW - (span * index) / 1_000, 1, 1), 'completed');
    const { periodMs, periods } = tally.result(NOW, undefined);
    expect(periodMs).toBe(expected);
    expect(periods.length).toBeLessThanOrEqual(181);
  });

  it('puts each time into one bucket, and counts those before zero as 0', () => {
    const tally = new EndTally();
    for (const waiting of [0, 1, 2, 3, 86_400_001, -5]) tally.add(completed(NOW, waiting, 1), 'completed');
    const { waitingMs, negativeTimes } = tally.result(NOW, undefined);
    expect(negativeTimes).toBe(1);
    expect(waitingMs).toMatchObject({ count: 6, min: 0, max: 86_400_001 });
    expect(waitingMs?.buckets.filter(({ count }) => count > 0)).toEqual([
      { upTo: 1, count: 3 },
      { upTo: 2, count: 1 },
      { upTo: 5, count: 1 },
      { count: 1 },
    ]);
  });

  it('leaves out when rows do not tell it', () => {
    const tally = new EndTally();
    tally.add({ ...completed(0, 0, 0), createdAt: 0 }, 'completed');
    const { periods, waitingMs, attempts } = tally.result(NOW, undefined);
    expect([periods, waitingMs, attempts?.count]).toEqual([[], undefined, 1]);
  });
});

import { expect, test } from '@jest/globals';
import { TokenBucket } from '../../src/worker/rate-limits.ts';

test('lets as many start at once as there may be in the time, and then evenly', () => {
  const bucket = new TokenBucket({ records: 5, perMs: 1_000 }, 0);
  const startedAt: number[] = [];
  for (let now = 0; startedAt.length < 10; now += bucket.waitMs(1, now)) {
    bucket.take(1, now);
    startedAt.push(now);
  }
  expect(startedAt).toEqual([0, 0, 0, 0, 0, 200, 400, 600, 800, 1_000]);
});

test('takes more at once than it holds when it is full, and owes the rest', () => {
  const bucket = new TokenBucket({ records: 2, perMs: 1_000 }, 0);
  expect(bucket.waitMs(6, 0)).toBe(0);
  bucket.take(6, 0);
  expect(bucket.waitMs(1, 0)).toBe(2_500);
  expect(bucket.waitMs(6, 0)).toBe(3_000);
});

test('takes nothing away when the clock is set back', () => {
  const bucket = new TokenBucket({ records: 2, perMs: 1_000 }, 3_600_000);
  bucket.take(1, 3_600_000);
  expect(bucket.waitMs(1, 0)).toBe(0);
  expect(bucket.waitMs(2, 500)).toBe(0);
});

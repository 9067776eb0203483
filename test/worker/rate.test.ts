import { expect, test } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { Stop } from '../../src/claims/stop.ts';
import { RateLimit } from '../../src/worker/rate.ts';

test('lets as many start at once as there may be in the time, and then evenly', async () => {
  const clock = manualClock();
  const rate = new RateLimit({ records: 5, perMs: 1_000 }, clock);
  const startedAt: number[] = [];
  const begin = clock.now();
  for (let index = 0; index < 10; index += 1) {
    void Promise.resolve(rate.take(1, new Stop())).then(() => startedAt.push(clock.now() - begin));
  }
  await clock.advance(5_000);
  expect(startedAt).toEqual([0, 0, 0, 0, 0, 200, 400, 600, 800, 1_000]);
});

test('takes more at once than it holds when it is full, and owes the rest', async () => {
  const clock = manualClock();
  const rate = new RateLimit({ records: 2, perMs: 1_000 }, clock);
  expect(rate.take(6, new Stop())).toBeUndefined();
  let at = 0;
  const begin = clock.now();
  void rate.take(1, new Stop())?.then(() => (at = clock.now() - begin));
  await clock.advance(10_000);
  expect(at).toBe(2_500);
});

test('waits no longer than until it is told to stop', async () => {
  const clock = manualClock();
  const rate = new RateLimit({ records: 1, perMs: 60_000 }, clock);
  const stop = new Stop();
  expect(rate.take(1, stop)).toBeUndefined();
  let isOver = false;
  void rate.take(1, stop)?.then(() => (isOver = true));
  await clock.advance(10);
  stop.abort();
  await clock.advance(10);
  expect(isOver).toBe(true);
});

import { beforeAll, expect, test } from '@jest/globals';
import { type Measured, measureWorker } from '../../../lab/bench/scale/measured-worker.ts';
import { study, type StudyOptions } from '../../../lab/bench/scale/study.ts';
import { tablesOf } from '../../../lab/bench/scale/tables.ts';

const OPTIONS: StudyOptions = {
  messages: 20_000,
  workers: 100,
  ratePerWorker: 10,
  handlerMs: 50,
  maxInFlight: 100,
  duplicates: 0.01,
  failures: 0.01,
  long: 0,
  partitions: 40,
  key: 'message-id',
  sample: 60,
  seed: 7,
};

const measure = (messages: number): Promise<Measured> => measureWorker({ ...OPTIONS, messages });

let measured: Measured;
beforeAll(async () => {
  measured = await measure(OPTIONS.sample);
});

test('the same seed gives the same figures', async () => {
  expect(await measure(20)).toEqual(await measure(20));
  const one = study(OPTIONS, measured);
  expect(study(OPTIONS, measured)).toEqual(one);
  expect(tablesOf(one)).toContain('| 100 | 20,000 |');
});

test('a first delivery has two write units at every rate, and shares requests only with others of its worker', () => {
  const { byRate, duplicate, failed, again } = measured;
  for (const { writeUnits, readUnits } of byRate) expect([writeUnits, readUnits]).toEqual([2, 0]);
  expect(byRate[0]?.tableRequests).toBe(2);
  expect(byRate.at(-1)?.tableRequests).toBeLessThan(0.5);
  expect(byRate.at(-1)?.queueRequests).toBeLessThan(byRate[0]?.queueRequests ?? 0);
  expect(duplicate).toMatchObject({ writeUnits: 1, readUnits: 1 });
  expect(failed.writeUnits).toBe(2);
  expect(again).toMatchObject({ writeUnits: 2, readUnits: 1 });
});

test('requests, write units and cost grow as messages and workers do', () => {
  const { byMessages, byWorkers, largestDeviation } = study(OPTIONS, measured);
  expect(byWorkers.map(({ workers }) => workers)).toEqual([1, 10, 100]);
  for (const { messages, writeUnits, deliveries } of [...byMessages, ...byWorkers]) {
    // Of a duplicate one more, of a failure two: 1 % of each.
    if (messages >= 1_000) expect(writeUnits / messages).toBeCloseTo(2.03, 1);
    if (messages >= 1_000) expect(deliveries / messages).toBeCloseTo(1.02, 1);
  }
  expect(byWorkers.at(-1)?.messages).toBe(OPTIONS.messages);
  expect(largestDeviation).toBeLessThan(0.02);
});

test('keys are spread evenly, whatever they are made of', () => {
  for (const key of ['message-id', 'payload-hash'] as const) {
    const { spread } = study({ ...OPTIONS, key }, measured);
    expect(spread[0]).toEqual({ partitions: 1, fullest: 1 });
    // Of 20,000 keys in 100 partitions the fullest has some 2.6 standard deviations more than the mean of 200.
    expect(spread[2]?.fullest).toBeLessThan(1.4);
  }
});

test('a table with too few partitions throttles, and the fleet takes as long as the table', () => {
  const { run, byMessages } = study({ ...OPTIONS, partitions: 1, messages: 10_000 }, measured);
  // 1,000 messages a second want 2,000 write units of a partition that takes 1,000.
  expect(run.throttled).toBeGreaterThan(0);
  expect(byMessages.at(-1)?.seconds).toBeGreaterThanOrEqual(18);
});

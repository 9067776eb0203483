import { expect, test } from '@jest/globals';
import { workerBenches } from '../support/worker-benches.ts';
import type { ScriptedQueue } from '../support/scripted-queue.ts';
import { manualClock } from 'batchlatch/testing';

const bench = workerBenches();

function receivesOf(queue: ScriptedQueue): number[] {
  return queue.asked.flatMap((one) => (one.startsWith('receive') ? [Number(one.split(' ')[1])] : []));
}

test.each([
  [10, 50, 11],
  [10, 500, 11],
  [100, 50, 11],
  [25, 5, 11],
])(
  'receives ten at a time with %i slots and handlers of %i ms, and no slot is idle for it',
  async (maxInFlight, ms, most) => {
    const clock = manualClock();
    const { queue, worker } = await bench(
      () => new Promise((resolve) => void clock.setTimer(() => resolve(undefined), ms)),
      { clock, maxInFlight },
    );
    for (let id = 0; id < 100; id += 1) queue.send({ id });
    const startedAt = clock.now();
    while (worker.counters.acknowledged < 100) await clock.advance(5);
    expect(receivesOf(queue).length).toBeLessThanOrEqual(most + 5); // some wait in the empty queue by now
    expect(clock.now() - startedAt).toBeLessThanOrEqual((100 / Math.min(maxInFlight, 100)) * ms + 200);
  },
);

test('receives a few at a time where there are fewer slots than ten', async () => {
  const clock = manualClock();
  const { queue, worker } = await bench(
    () => new Promise((resolve) => void clock.setTimer(() => resolve(undefined), 50)),
    { clock, maxInFlight: 3 },
  );
  for (let id = 0; id < 60; id += 1) queue.send({ id });
  await clock.advance(60_000);
  expect(worker.counters.deleted).toBe(60);
  const [first, ...others] = receivesOf(queue); // the first shows whether there are suspects
  expect(first).toBe(1);
  expect(others.filter((most) => most < 3)).toEqual([]);
});

test('does not wait for more while a slot is idle and nothing is on its way', async () => {
  const clock = manualClock();
  const { queue, worker } = await bench(
    ({ body }) =>
      new Promise(
        (resolve) =>
          void clock.setTimer(() => resolve(undefined), (body as { id: number }).id < 8 ? 3_600_000 : 1),
      ),
    { clock, maxInFlight: 9 },
  );
  for (let id = 0; id < 40; id += 1) queue.send({ id });
  await clock.advance(1_000);
  expect(worker.running).toBe(8);
  expect(worker.counters.acknowledged).toBe(32);
});

import { expect, test } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { type Dependency, reportOf, stillDown } from '../../src/worker/dependencies.ts';
import { gate, workerBenches } from '../support/worker-benches.ts';

const bench = workerBenches();

class PaymentsDown extends Error {}
const payments: Dependency = { name: 'payments', isDown: (error) => error instanceof PaymentsDown };

test('while a dependency is down messages wait, invisible, and are not received again and again', async () => {
  let isDown = true;
  let calls = 0;
  const changes: unknown[] = [];
  const { clock, queue, worker } = await bench(
    () => {
      calls += 1;
      if (isDown) throw new PaymentsDown('503');
    },
    { dependencies: [payments], maxInFlight: 1, queue: { visibilityMs: 1_000 } },
  );
  worker.on('dependencyDown', (change) => changes.push(change));
  for (let id = 0; id < 100; id += 1) queue.send({ id });
  await clock.advance(5 * 60_000);
  expect(worker.down).toEqual(['payments']);
  expect(worker.state).toBe('running');
  expect(calls).toBeLessThan(40);
  expect(queue.receives().size).toBeLessThan(50); // the others are where other workers can have them
  isDown = false;
  await clock.advance(5 * 60_000);
  expect(changes).toEqual([
    { name: 'payments', isDown: true },
    { name: 'payments', isDown: false },
  ]);
  expect({ left: queue.ids(), down: worker.down }).toEqual({ left: [], down: [] });
});

test('what waits when a dependency goes down does not start, and costs no receive', async () => {
  const { clock, queue, worker } = await bench(
    ({ body }) => {
      if ((body as { id: number }).id < 5) throw new PaymentsDown('503');
    },
    {
      dependencies: [{ ...payments, check: () => Promise.reject(new Error('still down')) }],
      maxInFlight: 5,
      queue: { visibilityMs: 60_000 }, // what fails takes no request
      before: (scripted) => void scripted.send({ id: 10 }), // what comes first comes alone
    },
  );
  await clock.advance(25_000); // the receive that is on its way then has room for ten
  for (let id = 0; id < 10; id += 1) queue.send({ id });
  await clock.advance(20_000);
  const { waiting } = worker;
  expect(waiting).toBeGreaterThan(0);
  await clock.advance(60 * 60_000);
  expect({ running: worker.running, waiting: worker.waiting }).toEqual({ running: 0, waiting });
  expect(Math.max(...queue.receives().values())).toBe(1); // those that failed are in the queue, and nobody receives
});

test('a receive that fails while the circuit is half open does not end all receiving', async () => {
  let isDown = true;
  const { clock, queue, worker } = await bench(
    () => {
      if (isDown) throw new PaymentsDown('503');
    },
    { dependencies: [payments], queue: { visibilityMs: 1_000 } },
  );
  for (let id = 0; id < 5; id += 1) queue.send({ id });
  await clock.advance(100);
  expect(worker.down).toEqual(['payments']);
  isDown = false;
  queue.fail('receive', new Error('SQS is away'), new Error('SQS is away'));
  await clock.advance(3 * 60_000);
  expect({ left: queue.ids(), down: worker.down }).toEqual({ left: [], down: [] });
});

test('an error that a business rule throws opens nothing', async () => {
  const { clock, queue, worker } = await bench(() => Promise.reject(new Error('not for sale')), {
    dependencies: [payments],
  });
  for (let id = 0; id < 50; id += 1) queue.send({ id });
  await clock.advance(1_000);
  expect(worker.down).toEqual([]);
  expect(worker.counters.failed).toBe(50);
});

test('a paused worker starts nothing that waits, and tells why', async () => {
  const held = gate();
  let starts = 0;
  const { clock, queue, worker } = await bench(
    () => {
      starts += 1;
      return held.passed;
    },
    { maxInFlight: 2 },
  );
  for (let id = 0; id < 4; id += 1) queue.send({ id });
  await clock.advance(100);
  worker.pause('A migration runs');
  held.open();
  await clock.advance(60_000);
  expect({ starts, reason: worker.pauseReason, waiting: worker.waiting }).toEqual({
    starts: 2,
    reason: 'A migration runs',
    waiting: 2,
  });
  worker.resume();
  await clock.advance(60_000);
  expect({ starts, reason: worker.pauseReason, left: queue.ids() }).toEqual({
    starts: 4,
    reason: undefined,
    left: [],
  });
});

test('what a function of the user throws says nothing, and neither does a promise', () => {
  const result = {
    ids: ['a'],
    acknowledged: [],
    failed: new Set(['a']),
    kept: new Set<string>(),
    errors: [new Error('any')],
    storeFailed: false,
    storeAnswered: true,
  };
  const report = reportOf(
    [
      {
        name: 'throws',
        isDown: () => {
          throw new Error('wrong');
        },
      },
      { name: 'asks', isDown: (() => Promise.resolve(true)) as unknown as Dependency['isDown'] },
    ],
    result,
  );
  expect(report.down.size).toBe(0);
  expect(report.isUp('claim-store')).toBe(true);
  expect(report.isUp('throws')).toBe(false);
});

test('a check that does not end is one that failed', async () => {
  const clock = manualClock();
  const asked = stillDown(
    [
      { ...payments, check: () => new Promise(() => undefined) },
      { name: 'stock', isDown: () => false, check: () => Promise.resolve() },
      { name: 'mail', isDown: () => false },
    ],
    ['payments', 'stock', 'mail'],
    clock,
  );
  await clock.advance(5_000);
  expect(await asked).toEqual(['payments']);
});

import { expect, test } from '@jest/globals';
import { StoreError } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';
import { gate, workerBenches } from '../support/worker-benches.ts';

const HOUR_MS = 3_600_000;
const bench = workerBenches();

test('W1: a handler that overruns its time is told to stop, and its message does not run a second time beside it', async () => {
  let starts = 0;
  let aborted = false;
  const { queue, clock } = await bench(
    async (_record, { signal }) => {
      starts += 1;
      signal.addEventListener('abort', () => (aborted = true));
      await new Promise(() => undefined);
    },
    { processor: { recordTimeoutMs: 1_000 } },
  );
  queue.send({ id: 1 });
  await clock.advance(20_000);
  expect({ starts, aborted }).toEqual({ starts: 1, aborted: true });
});

test('W2: nothing keeps a message invisible once it is to be deleted, or handed back', async () => {
  const { queue, clock } = await bench(
    ({ body }) => {
      if ((body as { fails: boolean }).fails) throw new Error('no');
    },
    { queue: { visibilityMs: 60_000 } },
  );
  queue.send({ fails: false });
  queue.send({ fails: true });
  await clock.advance(10 * 60_000);
  expect(queue.changes).toEqual([]);
});

test('W2: a renewal that fails late is no unhandled rejection, and ends no handler', async () => {
  const held = gate();
  const { queue, clock, worker } = await bench(() => held.passed);
  queue.send({ id: 1 });
  queue.fail('changeVisibility', new Error('SQS is away'));
  await clock.advance(18_000);
  held.open();
  await clock.advance(1_000);
  expect(worker.counters).toMatchObject({ acknowledged: 1, deleted: 1 });
});

test('W3: a message is kept invisible for 12 hours in all and no longer', async () => {
  const held = gate();
  const { queue, clock } = await bench(() => held.passed, { processor: { leaseMs: 24 * HOUR_MS } });
  queue.send({ id: 1 });
  await clock.advance(10);
  const receivedAt = clock.now();
  await clock.advance(13 * HOUR_MS);
  const [first] = queue.changes;
  const ends = queue.changes
    .filter(({ receiptHandle }) => receiptHandle === first?.receiptHandle)
    .map(({ at, seconds }) => at + seconds * 1_000 - receivedAt);
  expect(Math.max(...ends)).toBeLessThanOrEqual(12 * HOUR_MS + 1_000);
  expect(Math.max(...ends)).toBeGreaterThan(12 * HOUR_MS - 60_000);
  held.open();
});

test('W4: one slow message does not hold up the others, nor the next receive', async () => {
  const held = gate();
  const { queue, clock, worker } = await bench(({ body }) =>
    (body as { slow: boolean }).slow ? held.passed : undefined,
  );
  queue.send({ slow: true });
  for (let index = 0; index < 50; index += 1) queue.send({ slow: false });
  await clock.advance(1_000);
  expect(worker.counters.deleted).toBe(50);
  held.open();
});

test('W5: after stop() nothing is received, and what had not started is there for others at once', async () => {
  const held = gate();
  const { queue, clock, worker } = await bench(() => held.passed, { maxInFlight: 2 });
  for (let index = 0; index < 20; index += 1) queue.send({ index });
  await clock.advance(100);
  const received = worker.counters.received;
  const receives = queue.asked.filter((one) => one.startsWith('receive')).length;
  const stopped = worker.stop();
  await clock.advance(100);
  expect(queue.asked.filter((one) => one.startsWith('receive'))).toHaveLength(receives);
  expect(worker.counters.handedBack).toBe(received - 2);
  expect(queue.visible()).toHaveLength(18);
  held.open();
  await clock.advance(1_000);
  await stopped;
  expect(queue.ids()).toHaveLength(18);
});

test('W5: stop() resolves at its time limit, whatever still runs', async () => {
  const { queue, clock, worker } = await bench(() => new Promise(() => undefined), {
    processor: false,
    shutdownTimeoutMs: 5_000,
  });
  queue.send({ id: 1 });
  await clock.advance(100);
  let isStopped = false;
  void worker.stop().then(() => (isStopped = true));
  await clock.advance(4_000);
  expect(isStopped).toBe(false);
  await clock.advance(1_100);
  expect(isStopped).toBe(true);
});

test('W5: what is done when the worker stops is deleted before stop() resolves', async () => {
  const { queue, clock, worker } = await bench(() => undefined);
  queue.send({ id: 1 });
  await clock.advance(12);
  const stopped = worker.stop();
  await clock.advance(20_000);
  await stopped;
  expect(queue.ids()).toEqual([]);
});

test('W6: receive errors are waited out with a growing delay, are told, and the worker goes on by itself', async () => {
  const { queue, clock, worker } = await bench(() => undefined);
  const delays: number[] = [];
  worker.on('receiveFailed', ({ nextInMs }) => delays.push(nextInMs));
  queue.fail('receive', ...Array.from({ length: 6 }, () => new Error('The queue is not there')));
  queue.send({ id: 1 }); // ends the receive that waits
  await clock.advance(60_000);
  expect(worker.counters).toMatchObject({ receiveErrors: 6, deleted: 1 });
  delays.forEach((ms, index) => expect(ms).toBeLessThanOrEqual(200 * 2 ** index));
});

test('W7: entries that were not deleted are deleted again; ten in a request at most; equal ids are two messages', async () => {
  const { queue, clock, worker } = await bench(() => undefined, {
    processor: { key: () => `${Math.random()}` },
  });
  const failed: unknown[] = [];
  worker.on('deleteFailed', (failure) => failed.push(failure));
  for (let index = 0; index < 24; index += 1) queue.send({ index });
  queue.send({ twin: 1 }, { messageId: 'twin' });
  queue.send({ twin: 2 }, { messageId: 'twin' });
  queue.fail('delete', 'each', new Error('SQS is away'), 'each');
  await clock.advance(10_000);
  expect(queue.ids()).toEqual([]);
  expect(worker.counters.deleted).toBe(26);
  expect(failed).toEqual([]);
  const sizes = queue.asked.flatMap((one) => (one.startsWith('delete') ? [Number(one.split(' ')[1])] : []));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
});

test('W7: a message that cannot be deleted is told of, and is a duplicate when it comes again', async () => {
  let runs = 0;
  const { queue, clock, worker } = await bench(() => void (runs += 1));
  const failed: string[] = [];
  worker.on('deleteFailed', ({ messageId }) => failed.push(messageId));
  queue.fail('delete', 'each', 'each', 'each', 'each');
  const id = queue.send({ id: 1 });
  await clock.advance(10_000);
  expect(failed).toEqual([id]);
  await clock.advance(60_000);
  expect({ runs, left: queue.ids() }).toEqual({ runs: 1, left: [] });
});

test('W8: messages that wait for a slot are kept invisible too', async () => {
  const held = gate();
  const { queue, clock, worker } = await bench(() => held.passed, { maxInFlight: 1 });
  queue.send({ id: 1 });
  queue.send({ id: 2 });
  await clock.advance(10 * 60_000);
  expect({ running: worker.running, waiting: worker.waiting }).toEqual({ running: 1, waiting: 1 });
  expect(queue.visible()).toEqual([]);
  held.open();
  await clock.advance(1_000);
  expect(queue.ids()).toEqual([]);
});

test('W9: slots are free again after empty receives, failed ones, and handlers that throw or answer nonsense', async () => {
  let calls = 0;
  const answers: unknown[] = [
    undefined,
    { batchItemFailures: 'nonsense' },
    { batchItemFailures: [{ itemIdentifier: 'of-nobody' }] },
    new Error('thrown'),
  ];
  const { queue, clock, worker } = await bench(
    async () => {
      const answer = answers[calls++ % answers.length];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    { processor: false, maxInFlight: 1 },
  );
  await clock.advance(120_000); // several empty receives
  queue.fail('receive', new Error('once'), new Error('twice'));
  for (let index = 0; index < 4; index += 1) queue.send({ index });
  await clock.advance(30_000);
  expect(worker.counters).toMatchObject({ acknowledged: 1, failed: 3 });
  expect(worker.running + worker.waiting).toBe(0);
  await clock.advance(10 * 60_000);
  expect(queue.ids()).toEqual([]);
});

test('while the claim store is down nothing is received but a message at a time, and then all goes on', async () => {
  let isDown = false;
  const clock = manualClock();
  const store = memoryStore({ clock });
  const down: boolean[] = [];
  const {
    queue,
    clock: own,
    worker,
  } = await bench(() => undefined, {
    processor: {
      store: {
        ...store,
        acquire: (requests, options) =>
          isDown
            ? Promise.reject(new StoreError('The store is away', { isRetryable: true }))
            : store.acquire(requests, options),
      },
    },
  });
  worker.on('storeDown', (isStoreDown) => down.push(isStoreDown));
  isDown = true;
  for (let index = 0; index < 200; index += 1) queue.send({ index });
  await own.advance(60_000);
  expect(down).toEqual([true]);
  expect(worker.counters.received).toBeLessThan(80);
  isDown = false;
  await own.advance(5 * 60_000);
  expect(down).toEqual([true, false]);
  expect(queue.ids()).toEqual([]);
});

test('what is done is stored when the claim store is back within its lease, and is not done again', async () => {
  let isDown = true;
  let runs = 0;
  const clock = manualClock();
  const store = memoryStore({ clock });
  const {
    queue,
    clock: own,
    worker,
  } = await bench(() => void (runs += 1), {
    processor: {
      store: {
        ...store,
        settle: (settlements, options) =>
          isDown
            ? Promise.reject(new StoreError('The store is away', { isRetryable: true }))
            : store.settle(settlements, options),
      },
    },
  });
  queue.send({ id: 1 });
  await own.advance(30_000);
  expect(worker.running).toBe(1);
  isDown = false;
  await own.advance(5_000);
  expect(worker.counters).toMatchObject({ received: 1, acknowledged: 1, deleted: 1, failed: 0 });
  expect(queue.ids()).toEqual([]);
  expect(runs).toBe(1);
});

test('what is done and cannot be stored holds its slot for no longer than its lease, and no stop for longer than it may take', async () => {
  const clock = manualClock();
  const store = {
    ...memoryStore({ clock }),
    settle: () => Promise.reject(new StoreError('The store is away', { isRetryable: true })),
  };
  const { queue, clock: own, worker } = await bench(() => undefined, { processor: { store } });
  queue.send({ id: 1 });
  await own.advance(46_000);
  expect(worker.counters).toMatchObject({ failed: 1, deleted: 0 });
  queue.send({ id: 2 });
  await own.advance(1_000);
  expect(worker.running).toBeGreaterThan(0);
  let isStopped = false;
  const stopped = worker.stop().then(() => (isStopped = true));
  await own.advance(25_000);
  expect(isStopped).toBe(true);
  await stopped;
});

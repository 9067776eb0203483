import { expect, test } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import { createWorker, type WorkerOptions } from 'batchlatch/worker';
import { QueueWorker } from '../../src/worker/queue-worker.ts';
import { type ScriptedQueue, scriptedQueue } from '../support/scripted-queue.ts';

interface Bench {
  readonly clock: ManualClock;
  readonly queue: ScriptedQueue;
  readonly worker: QueueWorker;
  /** The bodies of each call. */
  readonly calls: number[][];
}

async function bench(
  options: Partial<WorkerOptions> & { readonly fifo?: boolean; readonly ms?: number } = {},
  before: (queue: ScriptedQueue) => void = () => undefined,
): Promise<Bench> {
  const { fifo = false, ms = 10, ...others } = options;
  const clock = manualClock();
  const queue = scriptedQueue(clock, { fifo });
  before(queue);
  const calls: number[][] = [];
  const handler = createBatchProcessor.forBatches<number>(
    async (items) => {
      calls.push(items.map(({ record }) => record.body));
      await new Promise<void>((resolve) => clock.setTimer(resolve, ms));
    },
    { store: memoryStore({ clock }), clock, observer: { onEvent: () => undefined } },
  );
  const queueUrl = `http://127.0.0.1/000000000000/${fifo ? 'orders.fifo' : 'orders'}`;
  const worker = new QueueWorker({ queueUrl, client: {} as never, handler, clock, ...others }, queue);
  const started = worker.start();
  await clock.advance(10);
  await started;
  return { clock, queue, worker, calls };
}

async function stop({ worker, clock }: Bench): Promise<void> {
  const stopped = worker.stop();
  await clock.advance(60_000);
  await stopped;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

test('a handler of many records gets those that one receive brought in one call', async () => {
  const one = await bench({}, (queue) => upTo(31).forEach((id) => queue.send(id)));
  await one.clock.advance(1_000);
  expect(one.calls).toEqual([[0], ...[1, 11, 21].map((from) => upTo(10).map((id) => from + id))]);
  expect(one.queue.ids()).toEqual([]);
  await stop(one);
});

test('messages wait for others until the batch is full, or the window of the first is over', async () => {
  const one = await bench({ batch: { size: 25, windowMs: 2_000 } });
  upTo(30).forEach((id) => one.queue.send(id));
  await one.clock.advance(1_000);
  expect(one.calls).toEqual([upTo(25)]);
  await one.clock.advance(1_500);
  expect(one.calls).toEqual([upTo(25), [25, 26, 27, 28, 29]]);
  expect(one.queue.receives().size).toBe(30);
  expect(one.queue.ids()).toEqual([]);
  await stop(one);
});

test('a message that waits for its batch is kept invisible', async () => {
  const one = await bench({ batch: { size: 5, windowMs: 200_000 } });
  one.queue.send(1);
  await one.clock.advance(190_000);
  expect({ calls: one.calls, receives: [...one.queue.receives().values()] }).toEqual({
    calls: [],
    receives: [1],
  });
  await one.clock.advance(20_000);
  expect({ calls: one.calls, left: one.queue.ids() }).toEqual({ calls: [[1]], left: [] });
  await stop(one);
});

test('stop() waits for no more messages: what has been collected runs', async () => {
  const one = await bench({ batch: { size: 5, windowMs: 200_000 } });
  [1, 2].forEach((id) => one.queue.send(id));
  await one.clock.advance(1_000);
  await stop(one);
  expect({ calls: one.calls, left: one.queue.ids() }).toEqual({ calls: [[1, 2]], left: [] });
});

test('a group of a FIFO queue keeps its order in batches, and those of several groups share a call', async () => {
  const one = await bench({ fifo: true, batch: { size: 6, windowMs: 100 } }, (queue) => {
    for (const id of upTo(24)) queue.send(id, { group: `group-${id % 4}` });
  });
  await one.clock.advance(240_000);
  const order = one.calls.flat();
  for (const group of upTo(4)) {
    expect(order.filter((id) => id % 4 === group)).toEqual(upTo(6).map((turn) => turn * 4 + group));
  }
  expect(Math.max(...one.calls.map((ids) => new Set(ids.map((id) => id % 4)).size))).toBeGreaterThan(1);
  expect(one.calls.every((ids) => ids.length <= 6)).toBe(true);
  await stop(one);
});

test('a batch waits until all of it has slots', async () => {
  const one = await bench({ batch: { size: 10, windowMs: 0 }, maxInFlight: 15, ms: 1_000 }, (queue) =>
    upTo(31).forEach((id) => queue.send(id)),
  );
  let most = 0;
  for (let step = 0; step < 60; step += 1) {
    await one.clock.advance(100);
    most = Math.max(most, one.worker.running);
  }
  expect(most).toBeLessThanOrEqual(15);
  expect(one.calls.flat().toSorted((a, b) => a - b)).toEqual(upTo(31));
  await stop(one);
});

test.each([
  [{ size: 101 }, 'createWorker: `batch.size` (101) is above `maxInFlight` (100)'],
  [{ size: 0 }, /`batch(\.size)?` to be .*an integer from 1 to 10000/],
  [{ size: 1, windowMs: 300_001 }, /`batch(\.windowMs)?` to be .*an integer from 0 to 300000/],
] as const)('refuses %j', (batch, message) => {
  const handler = createBatchProcessor.forBatches(() => undefined, { store: memoryStore() });
  const queueUrl = 'http://127.0.0.1/000000000000/orders';
  const client = {
    receiveMessage: () => undefined,
    deleteMessageBatch: () => undefined,
    changeMessageVisibilityBatch: () => undefined,
    getQueueAttributes: () => undefined,
  } as never;
  expect(() => createWorker({ queueUrl, client, handler, batch })).toThrow(message);
});

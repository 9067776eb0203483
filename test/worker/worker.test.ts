import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { createWorker, type Worker, type WorkerOptions } from 'batchlatch/worker';
import { emulatedQueues, type EmulatedQueue } from '../support/emulated-queues.ts';

const queues = emulatedQueues();
const silent = { onEvent: () => undefined };
const workers: Worker[] = [];

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

async function startWorker(
  queue: EmulatedQueue,
  options: Pick<WorkerOptions, 'handler'> & Partial<WorkerOptions>,
) {
  const worker = createWorker({
    queueUrl: queue.queueUrl,
    client: queues.sqs,
    waitTimeSeconds: 1,
    ...options,
  });
  workers.push(worker);
  await worker.start();
  return worker;
}

async function until(isTrue: () => boolean, limitMs = 10_000): Promise<void> {
  const endsAt = Date.now() + limitMs;
  while (!isTrue()) {
    if (Date.now() > endsAt) throw new Error(`Not within ${limitMs} ms`);
    await delay(5);
  }
}

async function waiting(queue: EmulatedQueue): Promise<number> {
  const { Attributes } = await queues.sqs.getQueueAttributes({
    QueueUrl: queue.queueUrl,
    AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
  });
  return Object.values(Attributes ?? {}).reduce((sum, count) => sum + Number(count), 0);
}

describe('a worker', () => {
  test('works a queue with the handler of a Lambda function, and deletes what is done', async () => {
    const queue = await queues.create();
    const seen: string[] = [];
    const handler = createBatchProcessor<{ id: string }>(
      async ({ body }) => {
        seen.push(body.id);
      },
      { store: memoryStore(), observer: silent },
    );
    for (let index = 0; index < 25; index += 1) await queue.send({ id: `order-${index}` });
    const worker = await startWorker(queue, { handler });
    await until(() => worker.counters.deleted === 25);
    expect(new Set(seen).size).toBe(25);
    expect(seen).toHaveLength(25);
    expect(await waiting(queue)).toBe(0);
    await worker.stop();
    expect(worker.state).toBe('stopped');
  });

  test('is not held up by a slow message', async () => {
    const queue = await queues.create();
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const handler = createBatchProcessor<{ slow: boolean }>(
      ({ body }) => (body.slow ? finished : undefined),
      {
        store: memoryStore(),
        observer: silent,
      },
    );
    await queue.send({ slow: true });
    for (let index = 0; index < 30; index += 1) await queue.send({ slow: false, index });
    const worker = await startWorker(queue, { handler, maxInFlight: 2 });
    await until(() => worker.counters.deleted === 30);
    expect(worker.running).toBe(1);
    finish();
    await until(() => worker.counters.deleted === 31);
  });

  test('leaves a message that failed in the queue, and the others are deleted', async () => {
    const queue = await queues.create();
    const handler = createBatchProcessor<{ isBroken: boolean }>(
      ({ body }) => {
        if (body.isBroken) throw new Error('The order cannot be shipped');
      },
      { store: memoryStore(), observer: silent },
    );
    for (const isBroken of [true, false, false]) await queue.send({ isBroken });
    const worker = await startWorker(queue, { handler });
    await until(() => worker.counters.deleted === 2);
    expect(worker.counters.failed).toBe(1);
    expect(await waiting(queue)).toBe(1);
  });

  test('finishes what runs when it stops, and hands back what has not started', async () => {
    const queue = await queues.create();
    for (let index = 0; index < 10; index += 1) await queue.send({ index });
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const handler = createBatchProcessor(() => finished, { store: memoryStore(), observer: silent });
    const worker = await startWorker(queue, { handler, maxInFlight: 3 });
    await until(() => worker.running === 3 && worker.waiting === 3);
    const stopped = worker.stop();
    await until(() => worker.counters.handedBack === 3);
    finish();
    await stopped;
    expect(worker.counters).toMatchObject({ received: 6, acknowledged: 3, deleted: 3 });
    expect((await queue.receive()).Records).toHaveLength(7);
  });

  test('counts no attempt of a handler that its stop interrupts', async () => {
    const queue = await queues.create();
    const store = memoryStore();
    const attempts: number[] = [];
    let key = '';
    const handler = createBatchProcessor(
      async (_record, { signal, attempt, idempotencyKey }) => {
        attempts.push(attempt);
        key = idempotencyKey;
        await delay(60_000, undefined, { signal });
      },
      { store, observer: silent },
    );
    await queue.send({ id: 1 });
    const worker = await startWorker(queue, { handler, shutdownTimeoutMs: 500 });
    await until(() => attempts.length === 1);
    await worker.stop();
    expect(await store.inspect(key)).toMatchObject({ status: 'FAILED', attempt: 1, releases: 1 });
    expect(worker.counters).toMatchObject({ acknowledged: 0, failed: 1 });
  });

  test('keeps the order of a FIFO group, and groups side by side', async () => {
    const queue = await queues.create({ fifo: true });
    const seen: string[] = [];
    let most = 0;
    let now = 0;
    const handler = createBatchProcessor<{ id: number }>(
      async ({ body, messageGroupId }) => {
        now += 1;
        most = Math.max(most, now);
        await delay(10);
        now -= 1;
        seen.push(`${messageGroupId}${body.id}`);
      },
      { store: memoryStore(), observer: silent },
    );
    for (let id = 0; id < 5; id += 1) {
      for (const group of ['a', 'b', 'c']) await queue.send({ id }, { group });
    }
    const worker = await startWorker(queue, { handler });
    await until(() => worker.counters.deleted === 15);
    for (const group of ['a', 'b', 'c']) {
      expect(seen.filter((one) => one.startsWith(group))).toEqual(
        [0, 1, 2, 3, 4].map((id) => `${group}${id}`),
      );
    }
    expect(most).toBeGreaterThan(1);
  });
});

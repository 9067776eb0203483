import { expect, test } from '@jest/globals';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { createBatchProcessor, type RecordHandler } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';
import type { WorkerOptions } from 'batchlatch/worker';
import { QueueWorker } from '../../src/worker/queue-worker.ts';
import { scriptedQueue } from '../support/scripted-queue.ts';

/** A worker whose handler hands messages with an even number to one processor, and the others to another. */
async function bench(even: RecordHandler, odd: RecordHandler, options: Partial<WorkerOptions> = {}) {
  const clock = manualClock();
  const isFifo = options.queueUrl?.endsWith('.fifo') === true;
  const queue = scriptedQueue(clock, { fifo: isFifo });
  const store = memoryStore({ clock });
  const [ofEven, ofOdd] = [even, odd].map((handler, index) =>
    createBatchProcessor(handler, {
      store,
      clock,
      key: ({ body }) => String(body),
      namespace: `processor-${index}`,
      observer: { onEvent: () => undefined },
    }),
  );
  const handler = async (event: SQSEvent, context: Context) => {
    const isEven = ({ body }: SQSRecord): boolean => Number(body) % 2 === 0;
    const answers = await Promise.all([
      ofEven?.({ Records: event.Records.filter(isEven) }, context),
      ofOdd?.({ Records: event.Records.filter((record) => !isEven(record)) }, context),
    ]);
    return {
      batchItemFailures: answers.flatMap(
        (answer) => (answer as { batchItemFailures: object[] }).batchItemFailures,
      ),
    };
  };
  const queueUrl = 'http://127.0.0.1/000000000000/orders';
  const batch = { size: 2, windowMs: 1_000 };
  const worker = new QueueWorker({ queueUrl, client: {} as never, handler, clock, batch, ...options }, queue);
  const started = worker.start();
  await clock.advance(10);
  await started;
  return { clock, queue, store, worker };
}

test('a message that still runs in one processor stays invisible when another has ended its own', async () => {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  const { clock, queue, worker } = await bench(
    () => undefined,
    () => passed,
  );
  queue.send(0);
  const id = queue.send(1);
  await clock.advance(20 * 60_000);
  expect(queue.receives().get(id)).toBe(1);
  open();
  await clock.advance(10_000);
  expect(queue.ids()).toEqual([]);
  await Promise.all([worker.stop(), clock.advance(60_000)]);
});

test('a handler is told to stop with the worker when another processor of its call has ended', async () => {
  let aborted = false;
  const { clock, queue, worker } = await bench(
    () => undefined,
    (_record, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(signal.reason as Error);
        });
      }),
  );
  queue.send(0);
  queue.send(1);
  await clock.advance(10_000);
  await Promise.all([worker.stop(), clock.advance(60_000)]);
  expect({ aborted, running: worker.running, counters: worker.counters }).toMatchObject({
    aborted: true,
    running: 0,
    counters: { acknowledged: 1, failed: 1 },
  });
});

test('of a FIFO group, the messages that two processors of a call leave run later, in their order', async () => {
  const ran: unknown[] = [];
  const note: RecordHandler = ({ body }) => void ran.push(body);
  const { clock, queue, store, worker } = await bench(note, note, {
    queueUrl: 'http://127.0.0.1/000000000000/orders.fifo',
  });
  queue.send(9, { group: 'b' }); // the first message comes alone
  await clock.advance(1_000);
  const keys = ['processor-0#v1:10', 'processor-1#v1:11'];
  await store.acquire(keys.map((key) => ({ key, owner: 'another', leaseMs: 20_000, retentionMs: 60_000 })));
  const ids = [10, 11].map((body) => queue.send(body, { group: 'a' }));
  await clock.advance(100_000);
  expect({ ran, receives: ids.map((id) => queue.receives().get(id)) }).toEqual({
    ran: [9, 10, 11],
    receives: [1, 1],
  });
  await Promise.all([worker.stop(), clock.advance(60_000)]);
});

test('a message of a FIFO group is not kept behind one that another processor has handed back', async () => {
  const ran: unknown[] = [];
  const note: RecordHandler = ({ body }) => void ran.push(body);
  const failing: RecordHandler = (record, context) => {
    note(record, context);
    if (record.body === 10 && ran.length < 3) throw new Error('not yet');
  };
  const { clock, queue, store, worker } = await bench(failing, note, {
    queueUrl: 'http://127.0.0.1/000000000000/orders.fifo',
  });
  queue.send(9, { group: 'b' }); // the first message comes alone
  await clock.advance(1_000);
  const claim = { key: 'processor-1#v1:11', owner: 'another', leaseMs: 20_000, retentionMs: 60_000 };
  await store.acquire([claim]);
  for (const body of [10, 11]) queue.send(body, { group: 'a' });
  await clock.advance(100_000);
  expect(ran).toEqual([9, 10, 10, 11]);
  await Promise.all([worker.stop(), clock.advance(60_000)]);
});

test('what a handler fails itself behind a message that is kept runs before the rest of its group', async () => {
  const ran: unknown[] = [];
  const made = {} as { processor: ReturnType<typeof createBatchProcessor> };
  const { clock, queue, store, worker } = await bench(
    () => undefined,
    () => undefined,
    {
      queueUrl: 'http://127.0.0.1/000000000000/orders.fifo',
      async handler({ Records }, context) {
        for (const [index, record] of Records.entries()) {
          const { batchItemFailures } = await made.processor({ Records: [record] }, context);
          if (batchItemFailures.length === 0) continue;
          const left = Records.slice(index);
          return { batchItemFailures: left.map(({ messageId }) => ({ itemIdentifier: messageId })) };
        }
        return { batchItemFailures: [] };
      },
    },
  );
  made.processor = createBatchProcessor(({ body }) => void ran.push(body), {
    store,
    clock,
    key: ({ body }) => String(body),
    namespace: 'one',
    observer: { onEvent: () => undefined },
  });
  queue.send(9, { group: 'b' }); // the first message comes alone
  await clock.advance(1_000);
  await store.acquire([{ key: 'one#v1:10', owner: 'another', leaseMs: 20_000, retentionMs: 60_000 }]);
  for (const body of [10, 11, 12]) queue.send(body, { group: 'a' });
  await clock.advance(100_000);
  expect(ran).toEqual([9, 10, 11, 12]);
  await Promise.all([worker.stop(), clock.advance(60_000)]);
});

test('the messages behind one that a processor has handed back come again with it', async () => {
  const ran: unknown[] = [];
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  const even: RecordHandler = ({ body }) => {
    if (ran.push(body) === 2) throw new Error('not yet');
  };
  const odd: RecordHandler = async ({ body }) => {
    if (body === 11) await passed;
    ran.push(body);
  };
  const { clock, queue, store, worker } = await bench(even, odd, {
    queueUrl: 'http://127.0.0.1/000000000000/orders.fifo',
    batch: { size: 3 },
  });
  queue.send(8, { group: 'b' }); // the first message comes alone
  await clock.advance(1_000);
  const claim = { key: 'processor-1#v1:13', owner: 'another', leaseMs: 20_000, retentionMs: 60_000 };
  await store.acquire([claim]);
  for (const body of [11, 13, 14, 16]) queue.send(body, { group: 'a' });
  await clock.advance(1_000);
  open(); // 14 has failed, and 13 is reported after it
  await clock.advance(300_000);
  expect(ran).toEqual([8, 14, 11, 13, 14, 16]);
  await Promise.all([worker.stop(), clock.advance(60_000)]);
});

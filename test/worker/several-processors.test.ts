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
  const queue = scriptedQueue(clock);
  const store = memoryStore({ clock });
  const [ofEven, ofOdd] = [even, odd].map((handler, index) =>
    createBatchProcessor(handler, {
      store,
      clock,
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
  return { clock, queue, worker };
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

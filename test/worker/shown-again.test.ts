import { expect, test } from '@jest/globals';
import { heartbeat, type RecordHandler } from 'batchlatch';
import type { ScriptedQueue } from '../support/scripted-queue.ts';
import { gate, workerBenches } from '../support/worker-benches.ts';

const bench = workerBenches();

/** As Lambda calls it: with the whole event. */
function bare(handler: () => Promise<unknown>): RecordHandler {
  return handler;
}

const failing: RecordHandler = async () => {
  throw new Error('not yet');
};

test.each([
  ['of a batch processor', failing, {}],
  ['that throws', bare(() => Promise.reject(new Error('broken'))), { processor: false }],
] as const)(
  'what failed in a handler %s comes again when the visibility timeout of the queue is over, however short that is',
  async (_, handler, options) => {
    const { clock, queue, worker } = await bench(handler, { ...options, queue: { visibilityMs: 5_000 } });
    const id = queue.send({ id: 1 });
    await clock.advance(200);
    expect(worker.counters.failed).toBe(1);
    await clock.advance(4_500);
    expect(queue.visible()).toEqual([]);
    await clock.advance(1_000);
    expect(queue.visible()).toEqual([id]);
  },
);

test('no request is spent on that where a receive hides messages for no longer', async () => {
  const { clock, queue, worker } = await bench(failing, { queue: { visibilityMs: 60_000 } });
  queue.send({ id: 1 });
  await clock.advance(1_000);
  expect(worker.counters.failed).toBe(1);
  expect(queue.changes).toEqual([]);
});

test('of a FIFO group only what failed is shown again, not what is done and about to be deleted', async () => {
  const { clock, queue } = await bench(
    async ({ body }) => {
      if ((body as { id: number }).id === 2) throw new Error('broken');
    },
    {
      queue: { fifo: true, visibilityMs: 5_000 },
      before: (queue) => {
        queue.send({ id: 0 }); // what comes first comes alone
        for (const id of [1, 2, 3]) queue.send({ id }, { group: 'a' });
      },
    },
  );
  await clock.advance(1_000);
  expect(queue.changes.map(({ seconds }) => seconds)).toEqual([5, 5]);
  expect(queue.ids()).toHaveLength(2);
});

test('a stop lets an open receive end, and shows at once what it brings: SQS would hide what it gives an aborted one', async () => {
  const { clock, queue, worker } = await bench(async () => undefined, { queue: { visibilityMs: 60_000 } });
  await clock.advance(1_000);
  const stopped = worker.stop();
  await clock.advance(1_000);
  const id = queue.send({ id: 1 });
  await clock.advance(10);
  expect(queue.visible()).toEqual([id]);
  expect(worker.counters).toMatchObject({ received: 1, handedBack: 1, acknowledged: 0 });
  await stopped;
});

test('a stop waits for open receives no longer than it may take', async () => {
  const { clock, worker } = await bench(async () => undefined, { shutdownTimeoutMs: 2_000 });
  await clock.advance(1_000);
  void worker.stop();
  await clock.advance(1_990);
  expect(worker.state).toBe('stopping');
  await clock.advance(20);
  expect(worker.state).toBe('stopped');
});

test('heartbeat() of the processor hides no message for less time than the worker does', async () => {
  const held = gate();
  const queues: ScriptedQueue[] = [];
  const sqs = {
    changeMessageVisibilityBatch: async ({
      Entries,
    }: {
      Entries: { ReceiptHandle: string; VisibilityTimeout: number }[];
    }) => {
      const changes = Entries.map(({ ReceiptHandle: receiptHandle, VisibilityTimeout: seconds }) => ({
        receiptHandle,
        seconds,
      }));
      await queues[0]?.changeVisibility(changes, new AbortController().signal);
      return {};
    },
    sendMessage: () => Promise.resolve({}),
  };
  const { clock, queue } = await bench(() => held.passed, {
    processor: { sqs, heartbeat: heartbeat(), queueUrl: 'http://127.0.0.1/000000000000/orders' },
    queue: { visibilityMs: 300_000 },
    before: (one) => queues.push(one),
  });
  queue.send({ id: 1 });
  await clock.advance(20 * 60_000);
  expect(queue.changes.length).toBeGreaterThan(0);
  expect(queue.changes.filter(({ seconds }) => seconds < 300)).toEqual([]);
  held.open();
  await clock.advance(1_000);
  expect(queue.ids()).toEqual([]);
});

import { expect, test } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';
import * as fc from 'fast-check';
import { QueueWorker } from '../../src/worker/queue-worker.ts';
import type { MessageQueue } from '../../src/worker/sqs-queue.ts';
import { scriptedQueue } from '../support/scripted-queue.ts';

/** What arrives at a worker, what goes wrong, and how the worker is set. */
interface Traffic {
  readonly isFifo: boolean;
  readonly messages: readonly Message[];
  readonly refused: readonly (keyof MessageQueue)[];
  readonly maxInFlight: number;
  readonly perGroup: number;
  readonly size: number | undefined;
  readonly rate: number | undefined;
  readonly receivers: number;
  /** The worker is stopped after so many seconds, and another one goes on. */
  readonly restartAfter: number | undefined;
}

interface Message {
  readonly group: number;
  readonly key: number;
  readonly seconds: number;
  /** How often its handler fails. */
  readonly failures: number;
  /** How many attempts at its key died with their processes. */
  readonly deaths: number;
}

const traffic: fc.Arbitrary<Traffic> = fc.record({
  isFifo: fc.boolean(),
  messages: fc.array(
    fc.record({
      group: fc.nat({ max: 4 }),
      key: fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 1_000 })),
      seconds: fc.constantFrom(0, 0.1, 1, 10),
      failures: fc.constantFrom(0, 0, 0, 0, 1, 2),
      deaths: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2),
    }),
    { maxLength: 40, size: 'max' },
  ),
  refused: fc.array(fc.constantFrom('receive', 'delete', 'changeVisibility'), { maxLength: 6 }),
  maxInFlight: fc.constantFrom(3, 5, 100),
  perGroup: fc.constantFrom(1, 2, 3),
  size: fc.constantFrom(undefined, 1, 3),
  rate: fc.constantFrom(undefined, undefined, 1, 5),
  receivers: fc.constantFrom(1, 4),
  restartAfter: fc.constantFrom(undefined, undefined, 1, 30),
});

/** Runs a worker until all is done; returns what broke a promise, and what is left. */
async function brokenPromises(all: Traffic): Promise<string[]> {
  const { isFifo, messages, maxInFlight, perGroup, size, rate, receivers, restartAfter } = all;
  const clock = manualClock();
  const queue = scriptedQueue(clock, { fifo: isFifo });
  const store = memoryStore({ clock });
  const broken: string[] = [];
  const running: number[] = [];
  const done = new Set<number>();
  const failed = new Map<number, number>();

  const hasDeaths = messages.some(({ deaths }) => deaths > 0);
  const groupOf = (index: number): number => messages[index]?.group ?? -1;
  const keyOf = (index: number): string => `k${messages[index]?.key}`;

  function begin(index: number): void {
    const together = running.filter((one) => groupOf(one) === groupOf(index)).length;
    if (running.some((one) => keyOf(one) === keyOf(index))) broken.push(`${index} runs beside its key`);
    if ([...done].some((one) => keyOf(one) === keyOf(index))) broken.push(`${index} runs a second time`);
    if (running.length >= maxInFlight && !isFifo)
      broken.push(`${index} runs beside ${running.length} others`);
    // A suspect starts beside what does not end.
    if (together >= (isFifo ? 1 : perGroup) && !hasDeaths) broken.push(`${index} overfills its group`);
    const isLate = (one: number): boolean =>
      !done.has(one) && [...done].every((by) => keyOf(by) !== keyOf(one));
    const before = messages.findIndex((_, one) => groupOf(one) === groupOf(index) && isLate(one));
    if (isFifo && before < index) broken.push(`${index} runs before ${before}`);
    running.push(index);
  }

  const handler = createBatchProcessor<number>(
    async ({ body: index }) => {
      begin(index);
      const { seconds = 0, failures = 0 } = messages[index] ?? {};
      await new Promise<void>((resolve) => clock.setTimer(resolve, seconds * 1_000));
      running.splice(running.indexOf(index), 1);
      const tries = (failed.get(index) ?? 0) + 1;
      failed.set(index, tries);
      if (tries <= failures) throw new Error('no');
      done.add(index);
    },
    {
      store,
      clock,
      namespace: 'orders',
      key: ({ body }) => keyOf(body),
      observer: { onEvent: () => undefined },
    },
  );

  function startWorker(): QueueWorker {
    const worker = new QueueWorker(
      {
        queueUrl: `http://127.0.0.1/000000000000/orders${isFifo ? '.fifo' : ''}`,
        client: {} as never,
        handler,
        clock,
        maxInFlight,
        receivers,
        ...(!isFifo && { concurrencyPerGroup: perGroup }),
        ...(size !== undefined && { batch: { size } }),
        ...(rate !== undefined && {
          rate: { records: rate, perMs: 1_000, key: ({ body }: { body: string }) => `${Number(body) % 2}` },
        }),
      },
      queue,
    );
    void worker.start();
    return worker;
  }

  async function stop(worker: QueueWorker): Promise<void> {
    let isOver = false;
    const stopped = worker.stop().then(() => (isOver = true));
    await clock.advance(25_000);
    if (!isOver) broken.push('the stop does not end');
    await Promise.all([stopped, clock.advance(25_000)]);
    if (worker.running + worker.waiting > 0) broken.push('a stopped worker holds messages');
  }

  for (const [index, { key, deaths }] of messages.entries()) {
    if (messages.findIndex((one) => one.key === key) !== index) continue;
    for (let death = 0; death < deaths; death += 1) {
      const owner = `${index} ${death}`;
      await store.acquire([{ key: `orders#v1:k${key}`, owner, leaseMs: 1, retentionMs: 1e9 }]);
      await clock.advance(2);
    }
  }
  for (const [index, { group }] of messages.entries()) queue.send(index, { group: `g${group}` });
  for (const kind of all.refused) queue.fail(kind, new Error('SQS refused it'));

  let worker = startWorker();
  if (restartAfter !== undefined) {
    await clock.advance(restartAfter * 1_000);
    await stop(worker);
    worker = startWorker();
  }
  await clock.advance(3_600_000);
  if (queue.ids().length > 0) broken.push(`${queue.ids().length} messages are left`);
  if (worker.running + worker.waiting > 0) broken.push('the worker holds messages that are gone');
  await stop(worker);
  return broken;
}

test('every message ends once, in order and within the limits, whatever arrives and SQS refuses', async () => {
  await fc.assert(
    fc.asyncProperty(traffic, async (some) => {
      expect(await brokenPromises(some)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

import { expect, test } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import { backoff, createBatchProcessor, type BatchProcessorOptions } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import type { WorkerOptions } from 'batchlatch/worker';
import { QueueWorker } from '../../src/worker/queue-worker.ts';
import { type ScriptedQueue, scriptedQueue } from '../support/scripted-queue.ts';

interface Message {
  readonly id: string;
  readonly ms?: number;
  /** How many attempts at it have died with their processes. */
  readonly deaths?: number;
  /** How long another process holds its key. */
  readonly heldMs?: number;
  readonly group?: string;
}

interface Bench {
  readonly clock: ManualClock;
  readonly queue: ScriptedQueue;
  readonly worker: QueueWorker;
  /** What happened to handlers: `+a` when it starts, `-a` when it ends. */
  readonly log: string[];
  /** Ids of the messages of each call. */
  readonly calls: string[][];
}

/** A queue of messages, some of which other processes have died of, and a worker that has just started. */
async function bench(
  messages: readonly Message[],
  {
    processor = {},
    fifo = false,
    maxReceives,
    ...options
  }: Partial<WorkerOptions> & {
    readonly processor?: BatchProcessorOptions<Message>;
    readonly fifo?: boolean;
    readonly maxReceives?: number;
  } = {},
): Promise<Bench> {
  const clock = manualClock();
  const queue = scriptedQueue(clock, { fifo, ...(maxReceives !== undefined && { maxReceives }) });
  const store = memoryStore({ clock });
  for (const { group, ...message } of messages) {
    for (let death = 0; death < (message.deaths ?? 0); death += 1) await claim(message.id, 1);
    if (message.heldMs !== undefined) await claim(message.id, message.heldMs);
    queue.send(message, group === undefined ? {} : { group });
  }
  async function claim(id: string, leaseMs: number): Promise<void> {
    const key = `orders#v1:${id}`;
    await store.acquire([{ key, owner: `${id} ${clock.now()}`, leaseMs, retentionMs: 1_000_000 }]);
    await clock.advance(2);
  }
  const log: string[] = [];
  const calls: string[][] = [];
  const own = createBatchProcessor<Message>(
    async ({ body: { id, ms = 10 } }) => {
      log.push(`+${id}`);
      await new Promise<void>((resolve) => clock.setTimer(resolve, ms));
      log.push(`-${id}`);
    },
    {
      store,
      clock,
      namespace: 'orders',
      key: ({ body }) => body.id,
      observer: { onEvent: () => undefined },
      ...processor,
    },
  );
  const handler: WorkerOptions['handler'] = (event: SQSEvent, context) => {
    calls.push(event.Records.map(({ body }) => (JSON.parse(body) as Message).id));
    return own(event, context);
  };
  const queueUrl = `http://127.0.0.1/000000000000/orders${fifo ? '.fifo' : ''}`;
  const worker = new QueueWorker({ queueUrl, client: {} as never, handler, clock, ...options }, queue);
  const started = worker.start();
  await clock.advance(5);
  await started;
  return { clock, queue, worker, log, calls };
}

async function stop({ worker, clock }: Bench): Promise<void> {
  const stopped = worker.stop();
  await clock.advance(60_000);
  await stopped;
}

test('a suspect runs when all that is here has ended, and the next receive waits for it', async () => {
  const one = await bench([
    { id: 'first' },
    { id: 'slow', ms: 5_000 },
    { id: 'suspect', deaths: 1, ms: 1_000 },
    { id: 'quick' },
  ]);
  await one.clock.advance(30_000); // a receive that is on its way comes back first
  one.queue.send({ id: 'later' });
  await one.clock.advance(30_000);
  const { log } = one;
  expect(log.indexOf('+suspect')).toBeGreaterThan(log.indexOf('-slow'));
  expect(log.indexOf('-suspect')).toBe(log.indexOf('+suspect') + 1);
  expect(log.indexOf('+later')).toBeGreaterThan(log.indexOf('-suspect'));
  expect({ left: one.queue.ids(), most: Math.max(...one.queue.receives().values()) }).toEqual({
    left: [],
    most: 1,
  });
  await stop(one);
});

test('suspects run one at a time, those with the fewest deaths first', async () => {
  const one = await bench([
    { id: 'first' },
    { id: 'twice', deaths: 2 },
    { id: 'once', deaths: 1 },
    { id: 'thrice', deaths: 3 },
    { id: 'once again', deaths: 1 },
  ]);
  await one.clock.advance(60_000);
  expect(one.log.slice(2)).toEqual(
    ['once', 'once again', 'twice', 'thrice'].flatMap((id) => [`+${id}`, `-${id}`]),
  );
  await stop(one);
});

test('a suspect waits no longer than five minutes for a handler that does not end, and others no longer for a suspect', async () => {
  const one = await bench([
    { id: 'first' },
    { id: 'stuck', ms: 3_600_000 },
    { id: 'suspect', deaths: 1, ms: 3_600_000 },
  ]);
  await one.clock.advance(299_000);
  expect(one.log).not.toContain('+suspect');
  await one.clock.advance(2_000);
  expect(one.log).toContain('+suspect');
  one.queue.send({ id: 'other' });
  await one.clock.advance(298_000);
  expect(one.log).not.toContain('+other');
  await one.clock.advance(3_000);
  expect(one.log).toContain('-other');
  await one.clock.advance(3_600_000);
  expect(one.queue.ids()).toEqual([]);
  await stop(one);
});

test('a message whose key another process holds waits here until its lease ends, and loses no receive', async () => {
  const one = await bench([{ id: 'held', heldMs: 100_000 }, { id: 'free' }], { maxInFlight: 1 });
  await one.clock.advance(90_000);
  expect({ log: one.log, setAside: one.worker.setAside }).toEqual({ log: ['+free', '-free'], setAside: 1 });
  await one.clock.advance(32_000); // its lease has lapsed, so it is a suspect, and a receive is on its way
  expect(one.log).toContain('-held');
  expect([...one.queue.receives().values()]).toEqual([1, 1]);
  expect(one.queue.ids()).toEqual([]);
  expect(one.worker.counters).toMatchObject({ acknowledged: 2, failed: 0, handedBack: 0 });
  await stop(one);
});

test('stop() hands suspects back at once, and what waits for a lease when that is over', async () => {
  const one = await bench([
    { id: 'first' },
    { id: 'stuck', ms: 3_600_000 },
    { id: 'suspect', deaths: 1 },
    { id: 'held', heldMs: 100_000 },
  ]);
  await one.clock.advance(10_000);
  const stopped = one.worker.stop();
  await one.clock.advance(1_000);
  expect(one.queue.visible()).toHaveLength(1);
  expect(one.queue.changes.map(({ seconds }) => seconds).toSorted((a, b) => a - b)).toEqual([0, 91]);
  await one.clock.advance(60_000);
  await stopped;
});

test('stop() waits for a suspect that runs, also for the time in which it should end', async () => {
  const one = await bench([{ id: 'suspect', deaths: 1, ms: 13_000 }], { shutdownTimeoutMs: 20_000 });
  while (one.log.length === 0) await one.clock.advance(100);
  const stopped = one.worker.stop().then(() => one.log.push('stopped'));
  await one.clock.advance(20_000);
  await stopped;
  expect({ log: one.log, left: one.queue.ids() }).toEqual({
    log: ['+suspect', '-suspect', 'stopped'],
    left: [],
  });
});

test('of a FIFO group only the suspect itself is alone, and what is behind it follows', async () => {
  const group = 'a';
  const one = await bench(
    [
      { id: 'other', group: 'b' },
      { id: 'suspect', deaths: 1, group },
      { id: 'behind', group },
      { id: 'last', group },
    ],
    { fifo: true },
  );
  await one.clock.advance(60_000);
  expect(one.calls).toContainEqual(['suspect']);
  expect(one.calls.at(-1)).toEqual(['behind', 'last']);
  expect(one.log.slice(-6)).toEqual(['+suspect', '-suspect', '+behind', '-behind', '+last', '-last']);
  expect(one.queue.ids()).toEqual([]);
  await stop(one);
});

test('an idle worker asks for one message after suspects, and for more when what comes is fresh', async () => {
  const one = await bench([{ id: 'suspect', deaths: 1 }]);
  await one.clock.advance(1_000);
  one.queue.send({ id: 'fresh' });
  await one.clock.advance(1_000);
  one.queue.send({ id: 'fresh, too' });
  await one.clock.advance(1_000);
  expect(
    one.queue.asked.filter((asked) => asked.startsWith('receive')).map((asked) => asked.split(' ')[1]),
  ).toEqual(['1', '10', '1', '10']);
  await stop(one);
});

test('`visibility` changes nothing of a message that waits here for a lease', async () => {
  const changed: unknown[] = [];
  const sqs = {
    changeMessageVisibilityBatch: async (input: unknown) => void changed.push(input),
    sendMessage: async () => ({}),
  } as never;
  const one = await bench([{ id: 'held', heldMs: 20_000 }], {
    processor: { visibility: backoff(), sqs, queueUrl: 'http://127.0.0.1/000000000000/orders' },
  });
  await one.clock.advance(60_000);
  expect({ changed, left: one.queue.ids() }).toEqual({ changed: [], left: [] });
  await stop(one);
});

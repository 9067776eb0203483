import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { memoryStore } from 'batchlatch/memory';
import { refusal } from '../../test/support/json-proxy.ts';
import { until } from '../../test/support/until.ts';
import { describeOnQueues, type WorkerBench } from './support/worker-bench.ts';

const GROUPS = ['a', 'b', 'c', 'd'];
const NUMBERS = [1, 2, 3, 4, 5, 6];

interface Step {
  readonly group: string;
  readonly number: number;
}

describeOnQueues('a worker', (scenario) => {
  scenario(
    'keeps the order of each group of a FIFO queue through failures, and works groups side by side',
    async (bench) => {
      await sendSteps(bench);
      const done: Record<string, number[]> = { a: [], b: [], c: [], d: [] };
      let running = 0;
      let mostAtOnce = 0;
      const failing = new Set(['b3', 'd1']);
      const worker = await bench.start<Step>(async ({ body: { group, number } }) => {
        mostAtOnce = Math.max(mostAtOnce, (running += 1));
        await delay(20);
        running -= 1;
        if (failing.delete(`${group}${number}`)) throw new Error('not yet');
        done[group]?.push(number);
      });
      await until('all are deleted', () => worker.counters.deleted === GROUPS.length * NUMBERS.length);
      expect(done).toEqual({ a: NUMBERS, b: NUMBERS, c: NUMBERS, d: NUMBERS });
      expect(mostAtOnce).toBeGreaterThan(1);
      expect(mostAtOnce).toBeLessThanOrEqual(GROUPS.length);
    },
    { isFifo: true },
  );

  scenario(
    'leaves to another the rest of a FIFO group that it hands back, in order',
    async (bench) => {
      await sendSteps(bench);
      const done: string[] = [];
      const handler = async ({ body: { group, number } }: { readonly body: Step }): Promise<void> => {
        await delay(50);
        done.push(`${group}${number}`);
      };
      // Both know what is done: a deletion may come too late on a busy machine.
      const processor = { store: memoryStore({ clock: bench.clock }) };
      const first = await bench.start<Step>(handler, { maxInFlight: 2, processor });
      await until('some are done', () => done.length > 1);
      await first.stop();
      const second = await bench.start<Step>(handler, { processor });
      await until('the queue is empty', async () => (await bench.depth()) === 0);
      await second.stop();
      for (const group of GROUPS) {
        const own = done.filter((one) => one.startsWith(group));
        expect(own).toEqual(NUMBERS.map((number) => `${group}${number}`));
      }
    },
    { isFifo: true },
  );

  scenario(
    'leaves a message that fails at every receive to the redrive policy, and loses none of the others',
    async (bench) => {
      await bench.send(...Array.from({ length: 12 }, (_, id) => ({ body: { id, fails: id === 7 } })));
      let failures = 0;
      const worker = await bench.start<{ fails: boolean }>(({ body }) => {
        if (!body.fails) return;
        failures += 1;
        throw new Error('never');
      });
      const { deadLetterQueueUrl } = bench.queue;
      await until(
        'it is in the dead-letter queue',
        async () => (await bench.depth(deadLetterQueueUrl)) === 1,
      );
      expect({ failures, left: await bench.depth() }).toEqual({ failures: 2, left: 0 });
      expect(worker.counters.deleted).toBe(11);
    },
    { maxReceiveCount: 2 },
  );

  scenario('goes on by itself when its queue is deleted and created again', async (bench) => {
    const { sqs, queue } = bench;
    const QueueName = new URL(queue.queueUrl).pathname.split('/').at(-1) ?? '';
    const seen: unknown[] = [];
    // ElasticMQ answers a receive that waits in a deleted queue after 20 seconds; something on the way loses patience before.
    bench.interpose((_call, ask) =>
      Promise.race([
        ask(),
        delay(2_500).then(() => {
          throw refusal('ServiceUnavailable', 503);
        }),
      ]),
    );
    const worker = await bench.start(({ body }) => void seen.push(body));
    await bench.send({ body: 'before' });
    await until('the first is deleted', () => worker.counters.deleted === 1);
    await sqs.deleteQueue({ QueueUrl: queue.queueUrl });
    await until('receives fail', () => worker.counters.receiveErrors > 2);
    expect(worker.state).toBe('running');
    const { QueueUrl } = await sqs.createQueue({ QueueName, Attributes: { VisibilityTimeout: '30' } });
    expect(QueueUrl).toBe(queue.queueUrl);
    await bench.send({ body: 'after' });
    await until('the second is deleted', () => worker.counters.deleted === 2);
    expect(seen).toEqual(['before', 'after']);
  });

  scenario('shares a queue with others: each message runs once, and all work', async (bench) => {
    const runs = new Map<unknown, number>();
    const shares = [0, 0, 0];
    await bench.send(...Array.from({ length: 300 }, (_, id) => ({ body: id })));
    await Promise.all(
      shares.map((_, index) =>
        bench.start(
          async ({ body }) => {
            runs.set(body, (runs.get(body) ?? 0) + 1);
            shares[index] = (shares[index] ?? 0) + 1;
            await delay(20);
          },
          { maxInFlight: 10 },
        ),
      ),
    );
    await until('the queue is empty', async () => (await bench.depth()) === 0);
    expect([...runs.values()]).toEqual(Array.from({ length: 300 }, () => 1));
    expect(Math.min(...shares)).toBeGreaterThan(0);
  });
});

async function sendSteps(bench: WorkerBench): Promise<void> {
  await bench.send(
    ...NUMBERS.flatMap((number) => GROUPS.map((group) => ({ body: { group, number }, group }))),
  );
}

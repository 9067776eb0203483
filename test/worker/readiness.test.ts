import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';
import { createWorker } from 'batchlatch/worker';
import { gate, workerBenches } from '../support/worker-benches.ts';

const bench = workerBenches();

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function ready(port: number): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}/ready`)).status;
}

test('/ready is 503 until the queue has answered once', async () => {
  const port = await freePort();
  const clock = manualClock();
  let answer = (): void => undefined;
  const starting = bench(() => undefined, {
    clock,
    health: { port },
    before: (queue) => void (answer = queue.hold('facts')),
  });
  while ((await ready(port).catch(() => 0)) === 0);
  expect(await ready(port)).toBe(503);
  answer();
  await clock.advance(10);
  await starting;
  expect(await ready(port)).toBe(200);
});

test.each(['acquire', 'settle'] as const)(
  '/ready is 503 five seconds after the claim store stops answering (%s), and 200 when it answers again',
  async (operation) => {
    const port = await freePort();
    const clock = manualClock();
    const hang = gate();
    const store = memoryStore({ clock });
    const { queue } = await bench(() => undefined, {
      clock,
      health: { port },
      processor: {
        store: {
          ...store,
          async [operation](...args: never) {
            await hang.passed;
            return (store[operation] as (...all: never) => Promise<never>)(...args);
          },
        },
      },
    });
    queue.send({ id: 1 });
    await clock.advance(4_900);
    expect(await ready(port)).toBe(200);
    await clock.advance(200);
    expect(await ready(port)).toBe(503);
    hang.open();
    await clock.advance(1_000);
    expect(await ready(port)).toBe(200);
    expect(queue.ids()).toEqual([]);
  },
);

test('a handler that does not end within the time of a stop is still counted as running', async () => {
  const clock = manualClock();
  const { queue, worker } = await bench(() => new Promise(() => undefined), { clock });
  queue.send({ id: 1 });
  await clock.advance(100);
  const stopped = worker.stop();
  await clock.advance(25_000);
  await stopped;
  expect({ state: worker.state, running: worker.running }).toEqual({ state: 'stopped', running: 1 });
});

const client = {
  receiveMessage: () => undefined,
  deleteMessageBatch: () => undefined,
  changeMessageVisibilityBatch: () => undefined,
  getQueueAttributes: () => undefined,
} as never;

test.each([
  [{ receivers: 1e9 }, 'Expected `receivers` to be an integer from 1 to 1000, got `1000000000` (number)'],
  [{ health: { port: 70_000 } }, 'integer from 0 to 65535'],
  [{ maxInFlight: 1e9 }, 'Expected `maxInFlight` to be an integer from 1 to 100000, got'],
  [
    { queueUrl: 'http://127.0.0.1/0/orders.fifo/' },
    "Expected `queueUrl` to be a queue's URL, which ends with the queue's name, got `'http://127.0.0.1/0/orders.fifo/'`",
  ],
  [{ queueUrl: 'http://127.0.0.1/0/.fifo/' }, 'Expected `queueUrl` to be'],
  [{ queueUrl: 'http://127.0.0.1/0/.fifo' }, 'Expected `queueUrl` to be'],
] as const)('createWorker refuses %j', (options, message) => {
  const queueUrl = 'http://127.0.0.1/0/orders';
  expect(() => createWorker({ queueUrl, client, handler: async () => undefined, ...options })).toThrow(
    message,
  );
});

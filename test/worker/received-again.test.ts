import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RecordHandler } from 'batchlatch';
import { manualClock } from 'batchlatch/testing';
import { gate, workerBenches } from '../support/worker-benches.ts';

const bench = workerBenches();

let warnings: string[];
let emitWarning: { mockRestore(): void };
beforeEach(() => {
  warnings = [];
  emitWarning = jest
    .spyOn(process, 'emitWarning')
    .mockImplementation((warning) => void warnings.push(String(warning)));
});
afterEach(() => emitWarning.mockRestore());

/** Handlers as Lambda knows them: no claim stops a second run. */
function bare(handler: () => Promise<unknown>): RecordHandler {
  return handler;
}

async function listening() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

test('a message that comes again while it runs does not run a second time, and is deleted by its newest receipt handle', async () => {
  const held = gate();
  let starts = 0;
  const { clock, queue, worker } = await bench(
    bare(() => {
      starts += 1;
      return held.passed;
    }),
    { processor: false },
  );
  const id = queue.send({ id: 1 });
  await clock.advance(100);
  queue.fail('changeVisibility', ...Array.from({ length: 11 }, () => new Error('SQS is away')));
  await clock.advance(70_000);
  expect({ starts, receives: queue.receives().get(id) }).toEqual({ starts: 1, receives: 2 });
  await clock.advance(10 * 60_000);
  expect(queue.receives().get(id)).toBe(2); // it is kept invisible again
  held.open();
  await clock.advance(1_000);
  expect(queue.ids()).toEqual([]);
  expect(worker.counters).toMatchObject({ received: 2, receivedAgain: 1, acknowledged: 1, deleted: 1 });
  expect(worker.running + worker.waiting).toBe(0);
});

test('a message whose renewals fail until it is visible is told of', async () => {
  const held = gate();
  const { clock, queue, worker } = await bench(() => held.passed);
  const lost: string[] = [];
  worker.on('visibilityLost', ({ messageId }) => lost.push(messageId));
  const id = queue.send({ id: 1 });
  await clock.advance(100);
  queue.fail('receive', ...Array.from({ length: 20 }, () => new Error('SQS is away')));
  queue.fail('changeVisibility', ...Array.from({ length: 20 }, () => new Error('SQS is away')));
  await clock.advance(70_000);
  expect(lost).toEqual([id]);
  held.open();
});

test('a message that comes again while it waits takes no second slot', async () => {
  const held = gate();
  let starts = 0;
  const { clock, queue, worker } = await bench(
    bare(() => {
      starts += 1;
      return held.passed;
    }),
    { processor: false, concurrencyPerGroup: 1 },
  );
  queue.send({ id: 1 }, { group: 'a' });
  queue.send({ id: 2 }, { group: 'a' });
  await clock.advance(100);
  queue.fail('changeVisibility', ...Array.from({ length: 11 }, () => new Error('SQS is away')));
  await clock.advance(120_000);
  expect({ starts, waiting: worker.waiting, again: worker.counters.receivedAgain }).toEqual({
    starts: 1,
    waiting: 1,
    again: 2,
  });
  held.open();
  await clock.advance(5_000);
  expect({ starts, left: queue.ids() }).toEqual({ starts: 2, left: [] });
});

test('a message that comes again when it is done and not deleted yet is deleted, and does not run', async () => {
  let starts = 0;
  const failed: unknown[] = [];
  const { clock, queue, worker } = await bench(
    bare(() => {
      starts += 1;
      return Promise.resolve();
    }),
    { processor: false, queue: { visibilityMs: 30_000 } },
  );
  const release = queue.hold('delete');
  queue.fail('delete', 'each', 'each', 'each', 'each'); // the first receipt is not good any more
  queue.send({ id: 1 });
  await clock.advance(60_000);
  expect(starts).toBe(1);
  worker.on('deleteFailed', (failure) => failed.push(failure));
  release();
  await clock.advance(10 * 60_000);
  expect({ starts, left: queue.ids(), changes: queue.changes }).toEqual({ starts: 1, left: [], changes: [] });
  expect({ failed, deleted: worker.counters.deleted }).toEqual({ failed: [], deleted: 1 });
});

test('what waits behind a FIFO message that failed does not run before it', async () => {
  const held = gate();
  const seen: number[] = [];
  let isFirst = true;
  const { clock, queue } = await bench(
    async ({ body }) => {
      const { id } = body as { id: number };
      if (isFirst) {
        isFirst = false;
        await held.passed;
        throw new Error('once');
      }
      seen.push(id);
    },
    { queue: { fifo: true } },
  );
  queue.send({ id: 1 }, { group: 'a' });
  await clock.advance(100);
  queue.fail('changeVisibility', ...Array.from({ length: 11 }, () => new Error('SQS is away')));
  await clock.advance(60_500); // it is visible again, and its group with it
  queue.send({ id: 2 }, { group: 'a' });
  await clock.advance(25_000);
  held.open();
  await clock.advance(5 * 60_000);
  expect(seen).toEqual([1, 2]);
});

test('a listener that throws harms no message', async () => {
  const { clock, queue, worker } = await bench(() => undefined);
  for (const name of ['received', 'handled', 'state'] as const) {
    worker.on(name, () => {
      throw new Error('The log is full');
    });
  }
  for (let id = 0; id < 20; id += 1) queue.send({ id });
  await clock.advance(1_000);
  expect(queue.ids()).toEqual([]);
  expect(worker.counters).toMatchObject({ deleted: 20, receiveErrors: 0 });
  const stopped = worker.stop();
  await clock.advance(20_000);
  await stopped;
  const told = ['received', 'handled', 'state'].map(
    (name) => `A listener of a worker's "${name}" threw (Error); the worker goes on`,
  );
  expect(warnings.toSorted()).toEqual(told.toSorted()); // each once
});

test('a listener that throws keeps nothing from the others, and one for once hears once', async () => {
  const { clock, queue, worker } = await bench(() => undefined);
  let heard = 0;
  worker.on('handled', () => {
    throw new Error('The log is full');
  });
  worker.on('handled', () => void (heard += 1));
  worker.once('handled', () => void (heard += 100));
  for (let id = 0; id < 2; id += 1) queue.send({ id });
  await clock.advance(1_000);
  expect(heard).toBe(102);
});

test('a listener whose promise rejects ends no process', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const { clock, queue, worker } = await bench(() => undefined);
  worker.on('handled', () => Promise.reject(new Error('The log is full')));
  queue.send({ id: 1 });
  await clock.advance(1_000);
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off('unhandledRejection', note);
  expect({ unhandled, left: queue.ids() }).toEqual({ unhandled: [], left: [] });
});

test('a worker whose port is taken does not start', async () => {
  const { port, server } = await listening();
  await expect(bench(() => undefined, { health: { port } })).rejects.toThrow('EADDRINUSE');
  await new Promise((resolve) => server.close(resolve));
});

test('a message that comes again takes up no room', async () => {
  const held = gate();
  const { clock, queue, worker } = await bench(() => held.passed, { maxInFlight: 1 });
  queue.send({ id: 1 });
  await clock.advance(100);
  queue.fail('changeVisibility', ...Array.from({ length: 11 }, () => new Error('SQS is away')));
  await clock.advance(61_000);
  queue.send({ id: 2 });
  await clock.advance(1_000);
  expect({ again: worker.counters.receivedAgain, waiting: worker.waiting }).toEqual({ again: 1, waiting: 1 });
  held.open();
});

test('stop() while a worker starts ends its start too, and leaves no server behind', async () => {
  const { port, server } = await listening();
  await new Promise((resolve) => server.close(resolve));
  const clock = manualClock();
  const { worker } = await bench(() => undefined, {
    clock,
    health: { port },
    before: (queue) => queue.fail('facts', new Error('aborted')),
    onStarting: (starting) => void starting.stop(),
  });
  await clock.advance(30_000);
  expect(worker.state).toBe('stopped');
  await expect(fetch(`http://127.0.0.1:${port}/live`)).rejects.toThrow('fetch failed');
});

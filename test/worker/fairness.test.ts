import { describe, expect, test } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import type { Clock } from '../../src/base/clock.ts';
import { gate, workerBenches } from '../support/worker-benches.ts';

const bench = workerBenches();

interface Body {
  readonly id: number;
  readonly customer: string;
}

/** Customers in the order in which their messages started, a handler that takes some time. */
function recorder(clock: Clock, ms: number) {
  const started: string[] = [];
  return {
    started,
    handler: ({ body }: { readonly body: unknown }): Promise<void> => {
      started.push((body as Body).customer);
      return new Promise((resolve) => void clock.setTimer(resolve, ms));
    },
  };
}

describe('messages of a group beyond its bound', () => {
  test('1,000 of one group do not hold up 20 of others, and none of them is received twice', async () => {
    const clock = manualClock();
    const { started, handler } = recorder(clock, 100);
    const { queue, worker } = await bench(handler, {
      clock,
      concurrencyPerGroup: 2,
      maxInFlight: 100,
      before(queue) {
        for (let id = 0; id < 1_000; id += 1) queue.send({ id, customer: 'noisy' }, { group: 'noisy' });
        for (let id = 0; id < 20; id += 1) queue.send({ id, customer: 'quiet' }, { group: `quiet-${id}` });
      },
    });
    await clock.advance(3_000);
    expect(started.filter((one) => one === 'quiet')).toHaveLength(20);
    expect(worker.setAside).toBeGreaterThan(900);
    expect(worker.running).toBe(2);
    await clock.advance(60_000);
    expect(queue.ids()).toEqual([]);
    expect(Math.max(...queue.receives().values())).toBe(1);
  });

  test('are shown again at their turn when there is no room for them, and are few receives nearer to the dead-letter queue', async () => {
    const clock = manualClock();
    const { started, handler } = recorder(clock, 1_000);
    const { queue, worker } = await bench(handler, {
      clock,
      concurrencyPerGroup: 1,
      maxInFlight: 2,
      queue: { maxReceives: 5 },
      before(queue) {
        for (let id = 0; id < 100; id += 1) queue.send({ id, customer: 'noisy' }, { group: 'noisy' });
        queue.send({ id: 0, customer: 'quiet' }, { group: 'quiet' });
      },
    });
    await clock.advance(5_000);
    expect(started).toContain('quiet');
    expect(worker.counters.handedBack).toBeGreaterThan(50);
    await clock.advance(300_000);
    expect(queue.ids()).toEqual([]);
    expect(Math.max(...queue.receives().values())).toBeLessThanOrEqual(3);
  });

  test('are never shown again where few receives are left for handlers that fail: less is received then', async () => {
    const held = gate();
    const { clock, queue, worker } = await bench(() => held.passed, {
      concurrencyPerGroup: 1,
      maxInFlight: 2,
      queue: { maxReceives: 2 },
      before(queue) {
        for (let id = 0; id < 100; id += 1) queue.send({ id, customer: 'noisy' }, { group: 'noisy' });
      },
    });
    await clock.advance(5_000);
    expect(worker.counters.handedBack).toBe(0);
    expect(worker.counters.received).toBeLessThan(30);
    held.open();
    await clock.advance(60_000);
    expect(queue.ids()).toEqual([]);
  });

  test('leave room for others to the last', async () => {
    const held = gate();
    const started: string[] = [];
    const { clock, queue } = await bench(
      ({ body }) => {
        started.push((body as Body).customer);
        return held.passed;
      },
      { concurrencyPerGroup: 1, maxInFlight: 2, queue: { maxReceives: 2 } },
    );
    // One runs, twenty are set aside, and two take up room.
    for (let id = 0; id < 23; id += 1) queue.send({ id, customer: 'noisy' }, { group: 'noisy' });
    await clock.advance(1_000);
    queue.send({ id: 0, customer: 'quiet' }, { group: 'quiet' });
    await clock.advance(1_000);
    expect(started).toEqual(['noisy', 'quiet']);
    held.open();
    await clock.advance(5_000);
    expect(queue.ids()).toEqual([]);
  });

  test('are given back with the rest when the worker stops', async () => {
    const held = gate();
    const { clock, queue, worker } = await bench(() => held.passed, {
      concurrencyPerGroup: 1,
      before(queue) {
        for (let id = 0; id < 50; id += 1) queue.send({ id, customer: 'noisy' }, { group: 'noisy' });
      },
    });
    await clock.advance(1_000);
    expect(worker.setAside).toBe(49);
    const stopped = worker.stop();
    await clock.advance(100);
    expect(queue.visible()).toHaveLength(49);
    held.open();
    await clock.advance(20_000);
    await stopped;
    expect(queue.ids()).toHaveLength(49);
  });
});

describe('a rate for each key', () => {
  const rate = {
    records: 2,
    perMs: 1_000,
    key: ({ body }: { body: string }) => (JSON.parse(body) as Body).customer,
  };

  test('holds up its own key and no other, and takes no slots', async () => {
    const clock = manualClock();
    const { started, handler } = recorder(clock, 10);
    const { queue } = await bench(handler, {
      clock,
      rate,
      maxInFlight: 5,
      before(queue) {
        for (let id = 0; id < 40; id += 1) queue.send({ id, customer: 'noisy' });
        for (let id = 0; id < 40; id += 1) queue.send({ id, customer: `quiet-${id}` });
      },
    });
    await clock.advance(2_900);
    expect(started.filter((one) => one === 'noisy')).toHaveLength(7);
    expect(started.filter((one) => one !== 'noisy')).toHaveLength(40);
    await clock.advance(20_000);
    expect(queue.ids()).toEqual([]);
  });

  test('holds together with one for all', async () => {
    const clock = manualClock();
    const { started, handler } = recorder(clock, 10);
    const { queue } = await bench(handler, {
      clock,
      rate: [rate, { records: 1, perMs: 100 }],
      before(queue) {
        for (let id = 0; id < 20; id += 1) queue.send({ id, customer: 'noisy' });
        for (let id = 0; id < 20; id += 1) queue.send({ id, customer: `quiet-${id}` });
      },
    });
    await clock.advance(1_000);
    expect(started.length).toBeGreaterThanOrEqual(9);
    expect(started.length).toBeLessThanOrEqual(11);
    expect(started.filter((one) => one === 'noisy').length).toBeLessThanOrEqual(4);
    await clock.advance(20_000);
    expect(queue.ids()).toEqual([]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no customer');
      },
    ],
    ['gives no text', () => undefined],
    ['gives a promise', () => Promise.resolve('late')],
  ])('harms one record alone when its function %s for it', async (_, wrong) => {
    const seen: unknown[] = [];
    const errors: unknown[] = [];
    const { clock, queue, worker } = await bench(({ body }) => void seen.push((body as Body).customer), {
      rate: {
        ...rate,
        key: (record) => (rate.key(record) === 'odd' ? (wrong() as unknown as string) : 'any'),
        records: 50,
      },
    });
    worker.on('handlerFailed', (error) => errors.push(error));
    for (const customer of ['a', 'odd', 'b']) queue.send({ id: 0, customer });
    await clock.advance(1_000);
    expect(seen).toEqual(['a', 'b']);
    expect(worker.counters).toMatchObject({ failed: 1, acknowledged: 2, deleted: 2 });
    expect(errors).toHaveLength(1);
    expect(queue.visible()).toEqual([]);
    await clock.advance(50_000);
    expect(worker.counters.failed).toBe(2); // it came again when its time was over
  });

  test('leaves the later messages of a FIFO group behind one that its function throws for', async () => {
    const seen: unknown[] = [];
    const { clock, queue, worker } = await bench(({ body }) => void seen.push((body as Body).id), {
      batch: { size: 1 },
      rate: {
        ...rate,
        records: 50,
        key: ({ body }) => {
          if ((JSON.parse(body) as Body).id === 1) throw new Error('no customer');
          return 'any';
        },
      },
      queue: { fifo: true },
    });
    queue.send({ id: 0, customer: 'a' }, { group: 'a' });
    await clock.advance(1_000);
    for (const id of [1, 2]) queue.send({ id, customer: 'a' }, { group: 'a' });
    queue.send({ id: 3, customer: 'b' }, { group: 'b' });
    await clock.advance(1_000);
    expect(seen).toEqual([0, 3]);
    expect(worker.counters).toMatchObject({ received: 4, failed: 2, acknowledged: 2 });
  });

  test('keeps the order of FIFO groups', async () => {
    const seen: string[] = [];
    const { clock, queue } = await bench(
      ({ body }) => void seen.push(`${(body as Body).customer}${(body as Body).id}`),
      {
        rate: {
          ...rate,
          key: ({ body }) => String((JSON.parse(body) as Body).id % 2),
          records: 1,
          perMs: 500,
        },
        queue: { fifo: true },
      },
    );
    for (let id = 0; id < 6; id += 1) {
      for (const customer of ['a', 'b']) queue.send({ id, customer }, { group: customer });
      await clock.advance(50);
    }
    await clock.advance(60_000);
    for (const customer of ['a', 'b']) {
      expect(seen.filter((one) => one.startsWith(customer))).toEqual(
        [0, 1, 2, 3, 4, 5].map((id) => `${customer}${id}`),
      );
    }
    expect(queue.ids()).toEqual([]);
  });
});

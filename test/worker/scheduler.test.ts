import { expect, test } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { type HandlerBatch, handlerBatchesOf } from '../../src/worker/held-message.ts';
import type { SchedulerSetup } from '../../src/worker/scheduler-setup.ts';
import { Scheduler } from '../../src/worker/scheduler.ts';
import { RateLimits } from '../../src/worker/rate-limits.ts';

let ids = 0;

function batchOf(group: string, key?: string): HandlerBatch {
  const message = {
    messageId: String((ids += 1)),
    receiptHandle: '',
    body: '{}',
    md5OfBody: '',
    attributes: { MessageGroupId: group },
    messageAttributes: {},
  };
  const [batch] = handlerBatchesOf([{ message, receivedAt: 0, hiddenUntil: 0 }], true);
  if (batch === undefined) throw new Error('There is none');
  return key === undefined ? batch : { ...batch, rateKeys: new Map([[`0:${key}`, 1]]) };
}

function inboxWith(setup: Partial<SchedulerSetup> = {}) {
  const clock = manualClock();
  const started: HandlerBatch[] = [];
  const ends: (() => void)[] = [];
  const scheduler = new Scheduler({
    limit: 10,
    callSize: () => undefined,
    perGroup: 1,
    ahead: 10,
    aside: 100,
    isFifo: false,
    clock,
    rates: undefined,
    mayStart: () => true,
    run: ({ batches }) => {
      started.push(...batches);
      return new Promise((resolve) => ends.push(() => resolve(new Map())));
    },
    handBack: () => false,
    ...setup,
  });
  const receive = (...batches: HandlerBatch[]): void => {
    scheduler.permits.take(batches.length);
    scheduler.admit(batches);
  };
  return { clock, started, ends, scheduler, receive };
}

test.each([true, false])(
  'a message that waits for its key holds up its group only where groups have an order (%s)',
  async (isFifo) => {
    const clock = manualClock();
    const rates = new RateLimits([{ records: 1, perMs: 1_000, key: () => '' }], clock);
    const { started, ends, receive } = inboxWith({ isFifo, clock, rates });
    const [other, first, second] = [batchOf('b', 'slow'), batchOf('a', 'slow'), batchOf('a', 'free')];
    receive(other, first, second);
    await clock.advance(10);
    expect(started).toEqual(isFifo ? [other] : [other, second]);
    await clock.advance(1_000);
    if (!isFifo) expect(started).toEqual([other, second]); // of its group the other still runs
    for (const end of ends.splice(0)) end();
    await clock.advance(1_000);
    for (const end of ends.splice(0)) end();
    await clock.advance(10);
    expect(started).toEqual(isFifo ? [other, first, second] : [other, second, first]);
  },
);

test('a message whose key may go on and whose group may not holds up no other of its key', async () => {
  const clock = manualClock();
  const rates = new RateLimits([{ records: 1, perMs: 1_000, key: () => '' }], clock);
  const { started, receive } = inboxWith({ clock, rates });
  const [before, first, second] = [batchOf('c', 'slow'), batchOf('a', 'slow'), batchOf('b', 'slow')];
  const runner = batchOf('a');
  receive(before, first, second, runner);
  await clock.advance(3_500);
  expect(started).toEqual([before, runner, second]);
});

test('what is let out goes behind what came meanwhile', async () => {
  const { clock, started, ends, receive } = inboxWith({ limit: 1, ahead: 3 });
  const [one, two, quiet] = [batchOf('a'), batchOf('a'), batchOf('b')];
  receive(one, two, quiet);
  ends[0]?.();
  await clock.advance(1);
  expect(started).toEqual([one, quiet]);
});

test('every slot and all room are free again when all has ended, whatever was set aside', async () => {
  const clock = manualClock();
  const rates = new RateLimits([{ records: 2, perMs: 100, key: () => '' }], clock);
  const { scheduler, ends, started, receive } = inboxWith({ clock, rates, aside: 5, perGroup: 2 });
  receive(...Array.from({ length: 20 }, (_, index) => batchOf(`g${index % 3}`, `k${index % 2}`)));
  while (started.length < 20) {
    for (const end of ends.splice(0)) end();
    await clock.advance(50);
  }
  for (const end of ends.splice(0)) end();
  await clock.advance(10);
  expect({ free: scheduler.permits.free, running: scheduler.running, waiting: scheduler.waiting }).toEqual({
    free: 20,
    running: 0,
    waiting: 0,
  });
});

test('a lower limit lets what runs end, starts nothing more and leaves less room', async () => {
  const { clock, scheduler, ends, started, receive } = inboxWith({ perGroup: Infinity });
  receive(...Array.from({ length: 15 }, () => batchOf('a')));
  expect(started).toHaveLength(10);
  scheduler.limit = 4;
  expect(scheduler.permits.free).toBe(-1);
  for (const end of ends.splice(0, 6)) end();
  await clock.advance(1);
  expect({ running: scheduler.running, free: scheduler.permits.free }).toEqual({ running: 4, free: 5 });
  scheduler.limit = 8;
  expect(scheduler.running).toBe(8);
});

test.each([10, 8_000])(
  'of a group and a key with %s messages, those that wait for the one and then for the other keep their order',
  async (count) => {
    const clock = manualClock();
    const rates = new RateLimits([{ records: 1, perMs: 1_000, key: () => '' }], clock);
    const { started, ends, receive } = inboxWith({ clock, rates, limit: 2, ahead: count, aside: count });
    const all = Array.from({ length: count }, () => batchOf('a', 'slow'));
    receive(...all);
    for (let turn = 0; turn < 5; turn += 1) {
      for (const end of ends.splice(0)) end();
      await clock.advance(1_000);
    }
    expect(started).toEqual(all.slice(0, 6));
  },
);

/** A batch of a group of its own, with so many records of each key. */
function batchWith(keys: Readonly<Record<string, number>>): HandlerBatch {
  const batch = batchOf(`group-${ids}`);
  return { ...batch, rateKeys: new Map(Object.entries(keys).map(([key, count]) => [`0:${key}`, count])) };
}

test('the first batch of a key that needs more of its rate than the next is waited for, and not asked for ever', async () => {
  const clock = manualClock();
  const rates = new RateLimits([{ records: 2, perMs: 10_000, key: () => '' }], clock);
  const { started, ends, receive } = inboxWith({ clock, rates, limit: 1 });
  const endFirst = async (): Promise<void> => {
    ends.shift()?.();
    await clock.advance(1);
  };
  const [before, other, more] = [batchWith({ a: 2 }), batchWith({}), batchWith({})];
  const [two, one, last] = [batchWith({ a: 2 }), batchWith({ a: 1 }), batchWith({ a: 1 })];
  receive(before, other);
  await endFirst();
  receive(two, more, one);
  await endFirst(); // `two` is over the rate, and `more` takes the slot
  receive(last);
  await clock.advance(10_000); // `two` is let out, behind `one`
  await endFirst();
  await endFirst(); // `one` has left too little for `two`
  expect(started).toEqual([before, other, more, one]);
  await clock.advance(6_000);
  await endFirst();
  await clock.advance(6_000);
  expect(started).toEqual([before, other, more, one, two, last]);
});

test('batches that share two keys over their rate do not pass from one key to the other for ever', async () => {
  const clock = manualClock();
  const rates = new RateLimits([{ records: 1, perMs: 1_000, key: () => '' }], clock);
  const { started, ends, receive } = inboxWith({ clock, rates, limit: 1, ahead: 20 });
  const single = [batchWith({ a: 1 }), batchWith({ b: 1 }), batchWith({ a: 1 }), batchWith({ b: 1 })];
  const both = [batchWith({ a: 1, b: 1 }), batchWith({ b: 1, a: 1 }), batchWith({ a: 1, b: 1 })];
  receive(...single, ...both);
  for (let turn = 0; turn < 20; turn += 1) {
    for (const end of ends.splice(0)) end();
    await clock.advance(500);
  }
  expect(started).toHaveLength(7);
});

test('a suspect that a call reports after the stop leaves no timer behind', async () => {
  const manual = manualClock();
  let timers = 0;
  const clock = {
    now: () => manual.now(),
    setTimer(callback: () => void, delayMs: number) {
      timers += 1;
      const cancel = manual.setTimer(callback, delayMs);
      return () => {
        timers -= 1;
        cancel();
      };
    },
  };
  const suspect = batchOf('a');
  const ends: (() => void)[] = [];
  const { scheduler, receive } = inboxWith({
    clock,
    run: ({ batches }) =>
      new Promise((resolve) => {
        ends.push(() => resolve(new Map(batches.map((batch) => [batch, { ...batch, deaths: 1 }]))));
      }),
  });
  receive(suspect, batchOf('b'));
  expect(scheduler.close()).toEqual([]);
  ends[0]?.();
  await manual.advance(10);
  expect(timers).toBe(0);
  expect(scheduler.close().map(({ held }) => held)).toEqual([suspect.held]);
});

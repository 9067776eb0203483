import { expect, test } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { type HandlerBatch, parcelsOf } from '../../src/worker/held-message.ts';
import type { InboxSetup } from '../../src/worker/scheduler-setup.ts';
import { Scheduler } from '../../src/worker/scheduler.ts';
import { RateLimits } from '../../src/worker/rate-limits.ts';

let ids = 0;

function parcelOf(group: string, key?: string): HandlerBatch {
  const message = {
    messageId: String((ids += 1)),
    receiptHandle: '',
    body: '{}',
    md5OfBody: '',
    attributes: { MessageGroupId: group },
    messageAttributes: {},
  };
  const [parcel] = parcelsOf([{ message, receivedAt: 0, hiddenUntil: 0 }], true);
  if (parcel === undefined) throw new Error('There is none');
  return key === undefined ? parcel : { ...parcel, rateKeys: new Map([[`0:${key}`, 1]]) };
}

function inboxWith(setup: Partial<InboxSetup> = {}) {
  const clock = manualClock();
  const started: HandlerBatch[] = [];
  const ends: (() => void)[] = [];
  const inbox = new Scheduler({
    limit: 10,
    batch: () => undefined,
    perGroup: 1,
    ahead: 10,
    aside: 100,
    isFifo: false,
    clock,
    rates: undefined,
    mayStart: () => true,
    run: ({ parcels }) => {
      started.push(...parcels);
      return new Promise((resolve) => ends.push(() => resolve(new Map())));
    },
    handBack: () => false,
    ...setup,
  });
  const receive = (...parcels: HandlerBatch[]): void => {
    inbox.permits.take(parcels.length);
    inbox.admit(parcels);
  };
  return { clock, started, ends, inbox, receive };
}

test.each([true, false])(
  'a message that waits for its key holds up its group only where groups have an order (%s)',
  async (isFifo) => {
    const clock = manualClock();
    const rates = new RateLimits([{ records: 1, perMs: 1_000, key: () => '' }], clock);
    const { started, ends, receive } = inboxWith({ isFifo, clock, rates });
    const [other, first, second] = [parcelOf('b', 'slow'), parcelOf('a', 'slow'), parcelOf('a', 'free')];
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
  const [before, first, second] = [parcelOf('c', 'slow'), parcelOf('a', 'slow'), parcelOf('b', 'slow')];
  const runner = parcelOf('a');
  receive(before, first, second, runner);
  await clock.advance(3_500);
  expect(started).toEqual([before, runner, second]);
});

test('what is let out goes behind what came meanwhile', async () => {
  const { clock, started, ends, receive } = inboxWith({ limit: 1, ahead: 3 });
  const [one, two, quiet] = [parcelOf('a'), parcelOf('a'), parcelOf('b')];
  receive(one, two, quiet);
  ends[0]?.();
  await clock.advance(1);
  expect(started).toEqual([one, quiet]);
});

test('every slot and all room are free again when all has ended, whatever was set aside', async () => {
  const clock = manualClock();
  const rates = new RateLimits([{ records: 2, perMs: 100, key: () => '' }], clock);
  const { inbox, ends, started, receive } = inboxWith({ clock, rates, aside: 5, perGroup: 2 });
  receive(...Array.from({ length: 20 }, (_, index) => parcelOf(`g${index % 3}`, `k${index % 2}`)));
  while (started.length < 20) {
    for (const end of ends.splice(0)) end();
    await clock.advance(50);
  }
  for (const end of ends.splice(0)) end();
  await clock.advance(10);
  expect({ free: inbox.permits.free, running: inbox.running, waiting: inbox.waiting }).toEqual({
    free: 20,
    running: 0,
    waiting: 0,
  });
});

test('a lower limit lets what runs end, starts nothing more and leaves less room', async () => {
  const { clock, inbox, ends, started, receive } = inboxWith({ perGroup: Infinity });
  receive(...Array.from({ length: 15 }, () => parcelOf('a')));
  expect(started).toHaveLength(10);
  inbox.limit = 4;
  expect(inbox.permits.free).toBe(-1);
  for (const end of ends.splice(0, 6)) end();
  await clock.advance(1);
  expect({ running: inbox.running, free: inbox.permits.free }).toEqual({ running: 4, free: 5 });
  inbox.limit = 8;
  expect(inbox.running).toBe(8);
});

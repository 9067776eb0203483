import { describe, expect, it } from '@jest/globals';
import { eventBridgeBus, payloadHash, type RecordHandler } from 'batchlatch';
import { eventBridgeBusEvent, manualClock } from 'batchlatch/testing';
import { bench, deferred, forever } from './bench.ts';
import { until } from './on-each-store.ts';

const events = (count: number, isReplay = false): unknown[] =>
  eventBridgeBusEvent(
    Array.from({ length: count }, (_, index) => ({
      body: { n: index },
      eventId: `e${index}`,
      eventGroupId: `g${index}`,
      isReplay,
    })),
  );

/** Counts what was done, by the number in the body. */
function effects(): { readonly done: Map<number, number>; readonly of: (body: unknown) => number } {
  const done = new Map<number, number>();
  const of = (body: unknown): number => {
    const { n } = body as { n: number };
    done.set(n, (done.get(n) ?? 0) + 1);
    return n;
  };
  return { done, of };
}

describe('A batch of a custom event bus', () => {
  it('of 500 events of which one fails, delivered three times, is 499 effects once', async () => {
    const { done, of } = effects();
    const declined = new Error('declined');
    const process = bench().processor(({ body }) => {
      if ((body as { n: number }).n === 250) throw declined;
      of(body);
    });
    for (let delivery = 0; delivery < 3; delivery += 1) {
      await expect(process(events(500))).rejects.toBe(declined);
    }
    expect(done.size).toBe(499);
    expect(new Set(done.values())).toEqual(new Set([1]));
  });

  it('runs once when its invocation outlives the 30 s of the bus and the second delivery comes meanwhile', async () => {
    const b = bench();
    const { done, of } = effects();
    const ends = deferred();
    const process = b.processor(async ({ body }) => {
      of(body);
      await ends.promise;
    });
    const first = process(events(3), b.lambda(120_000));
    await b.clock.advance(30_000); // the bus waits no longer
    await expect(process(events(3), b.lambda(120_000))).rejects.toMatchObject({
      code: 'BATCHLATCH_REDELIVER',
    });
    await b.clock.advance(30_000); // longer than a lease, which the heartbeat renews
    await expect(process(events(3), b.lambda(120_000))).rejects.toMatchObject({
      code: 'BATCHLATCH_REDELIVER',
    });
    ends.resolve();
    expect(await first).toBeUndefined();
    expect(await process(events(3), b.lambda(120_000))).toBeUndefined();
    expect([...done.values()]).toEqual([1, 1, 1]);
  });

  it('is run by a later delivery when its process died, before EventBridge gives it up', async () => {
    const b = bench();
    const ofTheDead = { clock: manualClock() }; // it stands still: nothing is renewed
    void b.processor(() => forever(), ofTheDead)(events(2), b.lambda(600_000));
    await until(() => b.eventsOf('started').length === 2);
    const process = b.processor(() => 'done');
    await expect(process(events(2), b.lambda(600_000))).rejects.toMatchObject({
      code: 'BATCHLATCH_REDELIVER',
    });
    await b.clock.advance(45_000);
    expect(await process(events(2), b.lambda(600_000))).toBeUndefined();
  });

  it('runs nothing of a replay after its completion, and what was not done says that it is one', async () => {
    const seen: [unknown, boolean | undefined][] = [];
    const handler: RecordHandler = (record) => {
      if (record.source === 'eventbridge-bus') seen.push([record.id, record.isReplay]);
    };
    const process = bench().processor(handler);
    expect(await process(events(2))).toBeUndefined();
    expect(await process(events(3, true))).toBeUndefined();
    expect(seen).toEqual([
      ['e0', false],
      ['e1', false],
      ['e2', true],
    ]);
  });

  it('keeps the order of an event group: what is behind a failure is not run', async () => {
    const runs: unknown[] = [];
    const event = eventBridgeBusEvent(
      ['a', 'b', 'a'].map((eventGroupId, n) => ({ body: n, eventGroupId, eventId: `e${n}` })),
    );
    const process = bench().processor(({ body }) => {
      runs.push(body);
      if (body === 0) throw new Error('declined');
    });
    await expect(process(event)).rejects.toThrow('declined');
    expect(runs).toEqual([0, 1]);
  });

  it('may be bare data where the bus is named and has a key', async () => {
    const bodies: unknown[] = [];
    const b = bench();
    const options = { source: eventBridgeBus(), key: payloadHash() };
    const process = b.processor(({ body }) => void bodies.push(body), options);
    expect(await process([{ orderId: 'A' }, { orderId: 'B' }])).toBeUndefined();
    expect(await process({ orderId: 'A' })).toBeUndefined();
    expect(bodies).toEqual([{ orderId: 'A' }, { orderId: 'B' }]);
    const keyless = b.processor(() => 'done', { source: eventBridgeBus() });
    await expect(keyless([{ orderId: 'A' }])).rejects.toMatchObject({
      code: 'BATCHLATCH_KEY',
      message: expect.stringContaining('bare data'),
    });
  });
});

import { describe, expect, it } from '@jest/globals';
import { type BatchEvent, PermanentError, type RecordHandler } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type Bench, bench, deferred, failed, fifo, forever, messages } from '../batch/bench.ts';

const succeeds: RecordHandler = () => 'done';
const fails: RecordHandler = () => Promise.reject(new Error('declined'));

/** The types of all events that were told, in order. */
function types({ events }: Bench): string[] {
  return events.map(({ type }) => type);
}

describe('What is told of a record', () => {
  it('that succeeds', async () => {
    const b = bench();
    await b.run(succeeds, ['a']);
    const { key, claim, clock } = b;
    const { owner } = (await claim('a')) ?? {};
    const record = { recordId: 'a', key: key('a'), owner, attempt: 1 };
    expect(b.events).toEqual([
      { type: 'claimed', ...record, leaseUntil: clock.now() + 60_000, durationMs: 0 },
      { type: 'started', ...record },
      { type: 'succeeded', ...record, durationMs: 0 },
      { type: 'settling', ends: [{ ...record, end: 'complete' }] },
      { type: 'batchFinished', records: 1, outcomes: { completed: 1 }, durationMs: 0 },
    ]);
  });

  it('that fails', async () => {
    const b = bench();
    await b.run(fails, ['a']);
    expect(types(b)).toEqual(['claimed', 'started', 'failed', 'settling', 'batchFinished']);
    expect(b.eventsOf('settling')).toMatchObject([{ ends: [{ recordId: 'a', end: 'fail' }] }]);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { failed: 1 } }]);
  });

  it('that fails for good: parked is told when it is stored', async () => {
    const b = bench();
    await b.run(() => Promise.reject(new PermanentError('unknown product')), ['a']);
    expect(types(b)).toEqual(['claimed', 'started', 'failed', 'settling', 'parked', 'batchFinished']);
    expect(b.eventsOf('settling')).toMatchObject([{ ends: [{ end: 'park' }] }]);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { parked: 1 } }]);
  });

  it('that is found parked', async () => {
    const b = bench();
    await b.run(() => Promise.reject(new PermanentError('unknown product')), ['a']);
    b.events.length = 0;
    await b.run(succeeds, ['a']);
    expect(types(b)).toEqual(['parked', 'batchFinished']);
    expect(b.eventsOf('parked')).toMatchObject([{ error: { message: 'unknown product' } }]);
  });

  it('that follows an equal one to its end: each of them is parked', async () => {
    const b = bench();
    const failsForGood: RecordHandler = () => Promise.reject(new PermanentError('unknown product'));
    await b.run(failsForGood, ['a', 'b'], { key: () => 'same' });
    expect(b.eventsOf('parked')).toMatchObject([
      { recordId: 'a', error: { message: 'unknown product' } },
      { recordId: 'b', error: { message: 'unknown product' } },
    ]);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { parked: 2 } }]);
  });

  it('that was completed before', async () => {
    const b = bench();
    await b.run(succeeds, ['a']);
    b.events.length = 0;
    await b.run(fails, ['a']);
    expect(b.events).toMatchObject([
      { type: 'duplicate', recordId: 'a', within: 'store' },
      { type: 'batchFinished', outcomes: { duplicate: 1 } },
    ]);
  });

  it('that is claimed elsewhere', async () => {
    const b = bench();
    await b.occupy('a');
    await b.run(succeeds, ['a']);
    expect(b.events).toMatchObject([
      { type: 'conflict', recordId: 'a', key: b.key('a'), leaseUntil: b.clock.now() + 60_000 },
      { type: 'batchFinished', outcomes: { conflict: 1 } },
    ]);
  });

  it('that takes over from an attempt that died: it is put off, and claimed again in its turn', async () => {
    const b = bench();
    await b.die('a');
    await b.run(succeeds, ['a']);
    expect(types(b)).toEqual([
      'claimed',
      'tookOver',
      'settling',
      'claimed',
      'started',
      'succeeded',
      'settling',
      'batchFinished',
    ]);
    expect(b.eventsOf('tookOver')).toMatchObject([{ recordId: 'a', attempt: 2, crashes: 1 }]);
    expect(b.eventsOf('settling')[0]).toMatchObject({ ends: [{ end: 'release', attempt: 2 }] });
  });

  it('that the store says nothing of', async () => {
    const b = bench((clock) => ({
      ...memoryStore({ clock }),
      acquire: () => Promise.reject(new Error('throttled')),
    }));
    await b.run(succeeds, ['a']);
    expect(b.events).toMatchObject([
      { type: 'claimFailed', recordId: 'a', key: b.key('a'), error: { message: 'throttled' } },
      { type: 'batchFinished', outcomes: { failed: 1 } },
    ]);
  });

  it('that the store leaves out of its answer', async () => {
    const b = bench((clock) => ({ ...memoryStore({ clock }), acquire: async () => [] }));
    await b.run(succeeds, ['a']);
    expect(b.events).toMatchObject([
      { type: 'claimFailed', error: { message: expect.stringContaining('fewer outcomes') } },
      { type: 'batchFinished' },
    ]);
  });

  it('that cannot be read', async () => {
    const b = bench();
    const event = messages('a');
    Object.assign(event.Records[0] as object, { body: null });
    await b.processor(succeeds)(event);
    expect(b.events).toMatchObject([
      { type: 'invalid', recordId: 'a', error: { code: 'BATCHLATCH_MALFORMED_RECORD' } },
      { type: 'batchFinished', outcomes: { invalid: 1 } },
    ]);
  });

  it('that cannot be named: it goes by its place', async () => {
    const b = bench();
    const event = messages('a', 'b');
    Object.assign(event.Records[1] as object, { messageId: '' });
    await expect(b.processor(succeeds)(event)).rejects.toThrow('have no messageId');
    expect(b.eventsOf('invalid')).toMatchObject([{ recordId: 'record 1' }]);
  });

  it('that loses its lease, and how far its handler had come', async () => {
    const b = bench();
    const end = deferred();
    const answer = b.run(() => end.promise, ['a'], { leaseMs: 1_000 });
    await b.clock.advance(1_000);
    await b.occupy('a');
    end.resolve();
    await answer;
    expect(types(b)).toEqual(['claimed', 'started', 'succeeded', 'settling', 'leaseLost', 'batchFinished']);
    expect(b.eventsOf('leaseLost')).toMatchObject([{ recordId: 'a', attempt: 1, effectDone: true }]);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { lost: 1 } }]);
  });

  it.each<[string, RecordHandler, boolean]>([
    ['succeeded', succeeds, true],
    ['failed', fails, false],
  ])('whose end cannot be stored, after its handler %s', async (type, handler, effectDone) => {
    const b = bench((clock) => ({
      ...memoryStore({ clock }),
      settle: () => Promise.reject(new Error('throttled for good')),
    }));
    const answer = b.run(handler, ['a']);
    await b.clock.advance(5_000);
    expect(await answer).toEqual(['a']);
    expect(types(b)).toEqual(['claimed', 'started', type, 'settling', 'settleFailed', 'batchFinished']);
    expect(b.eventsOf('settleFailed')).toMatchObject([
      { recordId: 'a', attempt: 1, effectDone, error: { message: 'throttled for good' } },
    ]);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { failed: 1 } }]);
  });

  it('that cannot be given back', async () => {
    const b = bench((clock) => ({
      ...memoryStore({ clock }),
      settle: () => Promise.reject(new Error('throttled for good')),
    }));
    await b.die('a');
    const answer = b.run(succeeds, ['a']);
    await b.clock.advance(5_000);
    expect(await answer).toEqual(['a']);
    expect(types(b)).toEqual([
      'claimed',
      'tookOver',
      'settling',
      'settleFailed',
      'notStarted',
      'batchFinished',
    ]);
    expect(b.eventsOf('settleFailed')).toMatchObject([{ effectDone: false }]);
  });

  it.each<[string, unknown]>([
    ['JSON cannot hold', () => 'a function'],
    ['refers to itself', selfReferring()],
    ['is a big integer', 10n],
    ['is longer than the store can keep', 'x'.repeat(101)],
  ])('whose result %s: it is completed without', async (_, result) => {
    const b = bench((clock) => ({ ...memoryStore({ clock }), maxResultBytes: 100 }));
    expect(await b.run(() => result, ['a'])).toEqual([]);
    expect(types(b)).toEqual([
      'claimed',
      'started',
      'succeeded',
      'resultDropped',
      'settling',
      'batchFinished',
    ]);
    expect(await b.claim('a')).not.toHaveProperty('result');
  });

  it('that hangs until the time is up', async () => {
    const b = bench();
    const answer = b.processor(forever)(messages('a'), b.lambda(3_000));
    await b.clock.advance(2_500);
    await answer;
    expect(types(b)).toEqual(['claimed', 'started', 'abandoned', 'batchFinished']);
    expect(b.eventsOf('abandoned')).toMatchObject([
      { durationMs: 2_500, error: { code: 'BATCHLATCH_DEADLINE' } },
    ]);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ durationMs: 2_500, outcomes: { failed: 1 } }]);
  });

  it('that ends after its batch: it is settled, and that is told before', async () => {
    const b = bench();
    const end = deferred();
    const answer = b.processor(() => end.promise)(messages('a'), b.lambda(3_000));
    await b.clock.advance(2_500);
    await answer;
    end.resolve();
    await b.clock.advance(0);
    expect(types(b)).toEqual(['claimed', 'started', 'abandoned', 'batchFinished', 'settling']);
  });

  it('that its message group holds back', async () => {
    const b = bench();
    await b.processor(fails)(fifo('a1', 'a2'));
    expect(b.typesOf('a2')).toEqual(['claimed', 'settling', 'notStarted']);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { failed: 1, 'not-started': 1 } }]);
  });
});

describe('The durations', () => {
  it('are those of the request to the store, of the handler and of the batch', async () => {
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        async acquire(requests) {
          await clock.advance(7);
          return store.acquire(requests);
        },
      };
    });
    await b.run(async () => {
      await b.clock.advance(20);
    }, ['a']);
    expect(b.eventsOf('claimed')).toMatchObject([{ durationMs: 7 }]);
    expect(b.eventsOf('succeeded')).toMatchObject([{ durationMs: 20 }]);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ durationMs: 27 }]);
  });
});

describe('`settling`', () => {
  it('is told before the write reaches the store, with everything the write carries', async () => {
    const order: string[] = [];
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        settle(settlements) {
          order.push(`written: ${settlements.map(({ key }) => key.slice(-1)).join(' ')}`);
          return store.settle(settlements);
        },
      };
    });
    const observer = {
      onEvent(event: BatchEvent) {
        if (event.type !== 'settling') return;
        order.push(`told: ${event.ends.map(({ key }) => key.slice(-1)).join(' ')}`);
      },
    };
    await b.run(succeeds, ['a', 'b', 'c'], { observer });
    expect(order).toEqual(['told: a b c', 'written: a b c']);
  });

  it('is told before a late write too', async () => {
    const order: string[] = [];
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        settle(settlements) {
          order.push('written');
          return store.settle(settlements);
        },
      };
    });
    const observer = { onEvent: ({ type }: BatchEvent) => void order.push(type) };
    const end = deferred();
    const answer = b.processor(() => end.promise, { observer })(messages('a'), b.lambda(3_000));
    await b.clock.advance(2_500);
    expect(failed(await answer)).toEqual(['a']);
    end.resolve();
    await b.clock.advance(0);
    expect(order.slice(-2)).toEqual(['settling', 'written']);
  });
});

function selfReferring(): object {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

import { describe, expect, it } from '@jest/globals';
import {
  backoff,
  type ClaimStore,
  heartbeat,
  type RecordHandler,
  runWithoutClaim,
  type SettleOutcome,
  StoreError,
  waitForOwner,
} from 'batchlatch';
import { type Bench, bench, deferred, failed, fifo, ids, inTime, messages } from './bench.ts';
import { onEachStore, turn } from './on-each-store.ts';

const outage = new StoreError('DynamoDB: TimeoutError', { isRetryable: true });

/** The bench's store, with some of its answers replaced. */
function broken(b: Bench, parts: Partial<ClaimStore>): ClaimStore {
  return { ...b.store, ...parts };
}

const noClaims: Partial<ClaimStore> = {
  acquire: async (requests) => requests.map(() => ({ status: 'error', error: outage })),
};

onEachStore((makeStore) => {
  describe('maxCrashes', () => {
    it('runs a record alone until it has died that often, then parks it unrun', async () => {
      const b = bench(makeStore);
      const runs: string[] = [];
      const handler: RecordHandler = ({ id }) => void runs.push(id);
      await b.die('a');
      await b.die('a', 'b');
      expect(await b.run(handler, ['a', 'b', 'c'], { maxCrashes: 2 })).toEqual(['a']);
      expect(runs).toEqual(['c', 'b']);
      expect(await b.claim('a')).toMatchObject({
        status: 'PARKED',
        error: { code: 'BATCHLATCH_TOO_MANY_CRASHES' },
      });
    });

    it('starts to count anew after a failure that was settled', async () => {
      const b = bench(makeStore);
      await b.die('a');
      await b.run(() => Promise.reject(new Error('declined')), ['a'], { maxCrashes: 2 });
      await b.die('a');
      expect(await b.run(() => 'done', ['a'], { maxCrashes: 2 })).toEqual([]);
    });
  });

  describe("onLapsedLease: 'park'", () => {
    it('never runs again what may be done', async () => {
      const b = bench(makeStore);
      await b.die('a');
      let runs = 0;
      const options = { onLapsedLease: 'park' } as const;
      expect(await b.run(() => (runs += 1), ['a', 'b'], options)).toEqual(['a']);
      expect(runs).toBe(1);
      expect(await b.claim('a')).toMatchObject({
        status: 'PARKED',
        error: { code: 'BATCHLATCH_LAPSED_LEASE' },
      });
    });

    it('also not where the answer of the takeover was lost, and the second says that the claim was its own', async () => {
      const b = bench(makeStore);
      await b.die('a');
      const store = broken(b, {
        async acquire(requests) {
          await b.store.acquire(requests);
          return b.store.acquire(requests);
        },
      });
      let runs = 0;
      expect(await b.run(() => (runs += 1), ['a'], { store, onLapsedLease: 'park' })).toEqual(['a']);
      expect(runs).toBe(0);
    });

    it('runs again what failed, and what was given back', async () => {
      const b = bench(makeStore);
      await b.run(() => Promise.reject(new Error('declined')), ['a']);
      expect(await b.run(() => 'done', ['a'], { onLapsedLease: 'park' })).toEqual([]);
    });
  });
});

describe('waitForConflict', () => {
  it("takes the other owner's end, without a run", async () => {
    const b = bench();
    await b.store.acquire([{ key: b.key('a'), owner: 'other', leaseMs: 60_000, retentionMs: 3_600_000 }]);
    let runs = 0;
    const running = b.run(() => (runs += 1), ['a'], { onConflict: waitForOwner({ timeoutMs: 5_000 }) });
    await b.clock.advance(200);
    await b.store.settle([{ end: 'complete', key: b.key('a'), owner: 'other', retentionMs: 3_600_000 }]);
    expect(await inTime(b.clock, running)).toEqual([]);
    expect(runs).toBe(0);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { duplicate: 1 } }]);
  });

  it('takes over when the other lease lapses', async () => {
    const b = bench();
    await b.store.acquire([{ key: b.key('a'), owner: 'other', leaseMs: 300, retentionMs: 3_600_000 }]);
    let runs = 0;
    const running = b.run(() => (runs += 1), ['a', 'b'], { onConflict: waitForOwner({ timeoutMs: 1_000 }) });
    expect(await inTime(b.clock, running)).toEqual([]);
    expect(runs).toBe(2);
  });

  it('gives up when the time is over, and its neighbours did not wait', async () => {
    const b = bench();
    await b.occupy('a');
    const startedAt = b.clock.now();
    const running = b.run(() => 'done', ['a', ...ids(30)], {
      onConflict: waitForOwner({ timeoutMs: 1_000 }),
      concurrency: 5,
    });
    await b.told('settling', 'r29');
    expect(b.clock.now() - startedAt).toBeLessThan(100);
    expect(await inTime(b.clock, running)).toEqual(['a']);
    expect(b.clock.now() - startedAt).toBeGreaterThanOrEqual(1_000);
    expect(b.eventsOf('conflict')).toHaveLength(1);
  });

  it('gives up at the deadline', async () => {
    const b = bench();
    await b.occupy('a');
    const processor = b.processor(() => 'done', { onConflict: waitForOwner({ timeoutMs: 60_000 }) });
    const running = processor(messages('a'), b.lambda(1_500));
    const answer = inTime(b.clock, running);
    expect(failed(await answer)).toEqual(['a']);
  });

  it('holds up its FIFO group and no other', async () => {
    const b = bench();
    await b.occupy('a1');
    const running = b.processor(() => 'done', { onConflict: waitForOwner({ timeoutMs: 500 }) })(
      fifo('a1', 'a2', 'b1'),
    );
    await b.told('settling', 'b1');
    expect(failed(await inTime(b.clock, running))).toEqual(['a1', 'a2']);
  });
});

describe('onStoreError: runWithoutClaim()', () => {
  it('runs without a claim, and says so', async () => {
    const b = bench();
    const seen: unknown[] = [];
    const handler: RecordHandler = ({ id }, { attempt, idempotencyKey }) => {
      seen.push([id, attempt, idempotencyKey]);
      if (id === 'b') throw new Error('declined');
    };
    expect(
      await b.run(handler, ['a', 'b'], { store: broken(b, noClaims), onStoreError: runWithoutClaim() }),
    ).toEqual(['b']);
    expect(seen).toEqual([
      ['a', 0, b.key('a')],
      ['b', 0, b.key('b')],
    ]);
    expect(b.eventsOf('withoutClaim')).toMatchObject([{ recordId: 'a', error: outage }, { recordId: 'b' }]);
    expect(b.eventsOf('batchFinished')).toMatchObject([
      { outcomes: { completed: 1, failed: 1 }, withoutClaim: 2 },
    ]);
  });

  it('is not the default', async () => {
    const b = bench();
    let runs = 0;
    expect(await b.run(() => (runs += 1), ['a'], { store: broken(b, noClaims) })).toEqual(['a']);
    expect(runs).toBe(0);
    expect(b.eventsOf('batchFinished')[0]).not.toHaveProperty('withoutClaim');
  });

  it('acknowledges what is done although its completion cannot be stored', async () => {
    const b = bench();
    const store = broken(b, {
      settle: async (all) => all.map(() => ({ error: new StoreError('gone', { isRetryable: false }) })),
    });
    expect(await b.run(() => 'done', ['a'], { store, onStoreError: runWithoutClaim() })).toEqual([]);
    expect(b.eventsOf('settleFailed')).toMatchObject([{ effectDone: true }]);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ withoutClaim: 1 }]);
    expect(await b.run(() => 'done', ['b'], { store })).toEqual(['b']);
  });

  it.each(['BATCHLATCH_CONTENDED', 'BATCHLATCH_NOT_A_CLAIM', 'BATCHLATCH_NEWER_ROW'])(
    'does not run what one row stands in the way of (%s)',
    async (code) => {
      const b = bench();
      const error = new StoreError('one row', { isRetryable: false, code });
      const store = broken(b, {
        acquire: async (requests) => requests.map(() => ({ status: 'error', error })),
      });
      expect(await b.run(() => 'done', ['a'], { store, onStoreError: runWithoutClaim() })).toEqual(['a']);
    },
  );

  it('runs no conflict and no duplicate', async () => {
    const b = bench();
    await b.occupy('a');
    await b.run(() => 'done', ['b']);
    let runs = 0;
    expect(await b.run(() => (runs += 1), ['a', 'b'], { onStoreError: runWithoutClaim() })).toEqual(['a']);
    expect(runs).toBe(0);
  });

  it('runs nothing that another owner was seen to hold, when the store fails while it waits for that', async () => {
    const b = bench();
    await b.occupy('a');
    let asked = 0;
    const store = broken(b, {
      acquire: (requests, options) => {
        asked += 1;
        if (asked === 1) return b.store.acquire(requests, options);
        return Promise.resolve(requests.map(() => ({ status: 'error', error: outage })));
      },
    });
    let runs = 0;
    const processor = b.processor(() => (runs += 1), {
      store,
      onConflict: waitForOwner({ timeoutMs: 500 }),
      onStoreError: runWithoutClaim(),
    });
    expect(failed(await inTime(b.clock, processor(messages('a'), b.lambda(10_000))))).toEqual(['a']);
    expect({ runs, hasWaited: asked > 1 }).toEqual({ runs: 0, hasWaited: true });
  });

  it('runs longer than a lease, which it does not have', async () => {
    const b = bench();
    const processor = b.processor(
      (_, { signal }) =>
        new Promise<void>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          b.clock.setTimer(resolve, 1_000);
        }),
      {
        store: broken(b, noClaims),
        onStoreError: runWithoutClaim(),
        leaseMs: 300,
        heartbeat: heartbeat(),
      },
    );
    expect(failed(await inTime(b.clock, processor(messages('a'), b.lambda(10_000))))).toEqual([]);
    expect(b.eventsOf('failed')).toEqual([]);
  });

  it('extends no lease, and stops at the deadline like any other', async () => {
    const b = bench();
    let extensions = 0;
    const store = broken(b, {
      ...noClaims,
      extend: async () => {
        extensions += 1;
        return [];
      },
    });
    const processor = b.processor(
      async (_, { extendLease, signal }) => {
        await extendLease(5_000);
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      },
      { store, onStoreError: runWithoutClaim(), heartbeat: heartbeat({ intervalMs: 100 }) },
    );
    expect(failed(await inTime(b.clock, processor(messages('a'), b.lambda(1_500))))).toEqual(['a']);
    expect(extensions).toBe(0);
  });
});

describe('heartbeat', () => {
  it('moves the end of the lease that the handler is told of, and its signal is not aborted at the first one', async () => {
    const b = bench();
    const gate = deferred();
    const seen: boolean[] = [];
    const leases: number[] = [];
    const handler: RecordHandler = async (_, context) => {
      leases.push(context.leaseUntil - b.clock.now());
      await gate.promise;
      seen.push(context.signal.aborted);
      leases.push(context.leaseUntil - b.clock.now());
    };
    const running = b.run(handler, ['a'], { leaseMs: 900, heartbeat: heartbeat() });
    await b.told('started');
    for (let beats = 0; beats < 10; beats += 1) await b.clock.advance(300);
    gate.resolve();
    expect(await running).toEqual([]);
    expect(seen).toEqual([false]);
    expect(leases).toEqual([900, 900]);
  });

  it('keeps the leases of running handlers, in one request for all', async () => {
    const b = bench();
    const asked: number[] = [];
    const store = broken(b, {
      extend(extensions, options) {
        asked.push(extensions.length);
        return b.store.extend(extensions, options);
      },
    });
    const gate = deferred();
    const running = b.run(() => gate.promise, ['a', 'b'], { store, leaseMs: 900, heartbeat: heartbeat() });
    await b.told('started', 'b');
    await b.clock.advance(3_000);
    expect(asked.length).toBeGreaterThanOrEqual(9);
    expect(new Set(asked)).toEqual(new Set([2]));
    const [other] = await b.store.acquire([
      { key: b.key('a'), owner: 'other', leaseMs: 1, retentionMs: 1_000 },
    ]);
    expect(other?.status).toBe('conflict');
    gate.resolve();
    expect(await running).toEqual([]);
    const before = asked.length;
    await b.clock.advance(3_000);
    expect(asked).toHaveLength(before);
  });

  it('without it the lease lapses', async () => {
    const b = bench();
    const gate = deferred();
    const running = b.run(() => gate.promise, ['a'], { leaseMs: 900 });
    await b.told('started', 'a');
    await b.clock.advance(3_000);
    const [other] = await b.store.acquire([
      { key: b.key('a'), owner: 'other', leaseMs: 1_000, retentionMs: 1_000 },
    ]);
    expect(other?.status).toBe('acquired');
    gate.resolve();
    expect(await running).toEqual(['a']);
  });

  it('stops a handler whose claim is found to be another owner’s', async () => {
    const b = bench();
    const store = broken(b, { extend: async (all) => all.map(() => 'lost' as const) });
    const handler: RecordHandler = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const running = b.run(handler, ['a'], {
      store,
      leaseMs: 10_000,
      heartbeat: heartbeat({ intervalMs: 100 }),
    });
    expect(await inTime(b.clock, running)).toEqual(['a']);
    expect(b.eventsOf('failed')).toMatchObject([{ error: { code: 'BATCHLATCH_LEASE_LOST' } }]);
  });

  it('tells a handler that has ended nothing any more', async () => {
    const b = bench();
    const answer = deferred<'lost'>();
    const asked = deferred();
    const store = broken(b, {
      async extend(extensions) {
        asked.resolve();
        const outcome = await answer.promise;
        return extensions.map(() => outcome);
      },
    });
    const gate = deferred();
    const signals: AbortSignal[] = [];
    const handler: RecordHandler = async (_, { signal }) => {
      signals.push(signal);
      await gate.promise;
    };
    const running = b.run(handler, ['a'], {
      store,
      leaseMs: 10_000,
      heartbeat: heartbeat({ intervalMs: 100 }),
    });
    await b.told('started', 'a');
    await b.clock.advance(100);
    await asked.promise;
    gate.resolve();
    await b.told('settling', 'a');
    answer.resolve('lost');
    expect(await running).toEqual([]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('goes on after a renewal that failed', async () => {
    const b = bench();
    let asked = 0;
    const store = broken(b, {
      async extend(extensions, options) {
        asked += 1;
        if (asked === 1) throw new Error('socket hang up');
        return b.store.extend(extensions, options);
      },
    });
    const gate = deferred();
    const running = b.run(() => gate.promise, ['a'], { store, leaseMs: 900, heartbeat: heartbeat() });
    await b.told('started', 'a');
    await b.clock.advance(2_000);
    gate.resolve();
    expect(await running).toEqual([]);
    expect(asked).toBeGreaterThan(3);
  });

  it.each<[string, () => SettleOutcome]>([
    ['is another owner’s', () => 'lost'],
    ['could not be renewed', () => ({ error: new Error('throttled') })],
  ])('asks no more often for a handler that goes on although its claim %s', async (_, outcome) => {
    const b = bench();
    let asked = 0;
    const store = broken(b, {
      async extend(extensions) {
        asked += 1;
        return extensions.map(outcome);
      },
    });
    const gate = deferred();
    const running = b.run(() => gate.promise, ['a'], { store, leaseMs: 30_000, heartbeat: heartbeat() });
    await b.told('started', 'a');
    await b.clock.advance(40_000); // the lease is over
    asked = 0;
    await b.clock.advance(600_000);
    expect(asked).toBe(60);
    gate.resolve();
    await running;
  });

  it('keeps unfinished messages invisible for as long, and no finished one', async () => {
    const b = bench();
    const asked: { handles: string[]; seconds: number[] }[] = [];
    const sqs = {
      async changeMessageVisibilityBatch({
        Entries,
      }: {
        Entries: { ReceiptHandle: string; VisibilityTimeout: number }[];
      }) {
        asked.push({
          handles: Entries.map((entry) => entry.ReceiptHandle),
          seconds: Entries.map((entry) => entry.VisibilityTimeout),
        });
        return {};
      },
      sendMessage: async () => undefined,
    };
    const gate = deferred();
    const event = messages('a', 'b');
    const running = b.processor(({ id }) => (id === 'a' ? gate.promise : 'done'), {
      sqs,
      leaseMs: 30_000,
      heartbeat: heartbeat({ intervalMs: 1_000 }),
    })(event);
    await b.told('succeeded', 'b');
    await b.clock.advance(1_000);
    expect(asked).toEqual([{ handles: [event.Records[0]?.receiptHandle], seconds: [30] }]);
    gate.resolve();
    expect(failed(await running)).toEqual([]);
  });

  it('says the last word before the back-off does: no renewal arrives after it', async () => {
    const b = bench();
    const order: string[] = [];
    const slow = deferred();
    const sqs = {
      async changeMessageVisibilityBatch({ Entries }: { Entries: { VisibilityTimeout: number }[] }) {
        const isBeat = Entries[0]?.VisibilityTimeout === 30;
        if (isBeat) await slow.promise;
        order.push(isBeat ? 'beat' : 'back-off');
        return {};
      },
      sendMessage: async () => undefined,
    };
    const gate = deferred();
    const running = b.run(() => gate.promise, ['a'], {
      sqs,
      leaseMs: 30_000,
      heartbeat: heartbeat({ intervalMs: 1_000 }),
      visibility: backoff({ maxDelayMs: 1_000 }),
    });
    await b.told('started', 'a');
    await b.clock.advance(1_000);
    gate.reject(new Error('no'));
    await b.told('settling', 'a');
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(order).toEqual([]);
    slow.resolve();
    expect(await running).toEqual(['a']);
    expect(order).toEqual(['beat', 'back-off']);
  });
});

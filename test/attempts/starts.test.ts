import { describe, expect, it } from '@jest/globals';
import { type BatchProcessorOptions, type ClaimStore, createBatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { advanceUntil } from '../support/advance-until.ts';
import { bench, failed, forever, ids, inTime, messages } from '../batch/bench.ts';
import { onEachStore, until } from '../batch/on-each-store.ts';

const PARKING: readonly BatchProcessorOptions[] = [
  { onLapsedLease: 'park' },
  { maxCrashes: 1 },
  { maxAttempts: 1 },
];

/** Notes what each call of `start` carries. */
function watched(store: ClaimStore): { store: ClaimStore; starts: string[][] } {
  const starts: string[][] = [];
  return {
    starts,
    store: {
      ...store,
      start: (claims, options) => {
        starts.push(claims.map(({ key }) => key.slice(key.lastIndexOf(':') + 1)));
        return (store as Required<ClaimStore>).start(claims, options);
      },
    },
  };
}

onEachStore((makeStore) => {
  describe('Claims of a process that dies in its third handler of forty', () => {
    it.each(PARKING)('are no deaths but for what had started: %p', async (options) => {
      const b = bench(makeStore);
      let runs = 0;
      const dying = b.processor(
        async () => {
          runs += 1;
          if (runs === 3) await forever(); // and nothing of this process is heard of again
        },
        { ...options, concurrency: 1, leaseMs: 60_000 },
      );
      void dying(messages(...ids(40)));
      await advanceUntil(
        b.clock,
        // Not while a settlement is on its way: a minute later it would have hung.
        until(async () => runs === 3 && (await b.claim('r1'))?.status === 'COMPLETED'),
      );
      await b.clock.advance(60_000);

      const again: string[] = [];
      const answer = b.processor(({ id }) => void again.push(id), options)(messages(...ids(40)));
      expect(failed(await advanceUntil(b.clock, answer))).toEqual(['r2']);
      expect(again).toEqual(ids(40).slice(3));
      expect((await b.claim('r2'))?.status).toBe('PARKED');
      expect(await b.claim('r3')).toMatchObject({ status: 'COMPLETED', crashes: 0 });
    });
  });

  it.each(PARKING)('A batch of claims whose answers are all lost parks nothing: %p', async (options) => {
    const b = bench(makeStore);
    const deaf = {
      ...b.store,
      async acquire(requests: Parameters<ClaimStore['acquire']>[0]) {
        await b.store.acquire(requests);
        throw new Error('connection reset');
      },
      inspect: () => Promise.reject(new Error('connection reset')),
    };
    const first = b.processor(() => 'never', { ...options, store: deaf, leaseMs: 60_000 });
    expect(failed(await advanceUntil(b.clock, first(messages(...ids(10)))))).toEqual(ids(10));
    await b.clock.advance(60_000);
    const second = b.processor(() => 'done', options)(messages(...ids(10)));
    expect(failed(await advanceUntil(b.clock, second))).toEqual([]);
  });
});

describe('The start of a handler', () => {
  it('is written where a death may park, in one request for all that start together', async () => {
    const b = bench();
    const { store, starts } = watched(b.store);
    expect(await b.run(() => 'done', ids(3), { store, maxCrashes: 1 })).toEqual([]);
    expect(starts.flat()).toEqual(ids(3));
    expect(starts.length).toBeLessThan(3);
    expect(await b.claim('r0')).toMatchObject({ status: 'COMPLETED', started: true });
  });

  it('is one write for all records of a batch handler', async () => {
    const b = bench();
    const { store, starts } = watched(b.store);
    const handler = createBatchProcessor.forBatches(() => undefined, {
      store,
      clock: b.clock,
      observer: { onEvent: () => undefined },
      namespace: 'n',
      onLapsedLease: 'park',
    });
    expect(failed(await handler(messages(...ids(30))))).toEqual([]);
    expect(starts.map(({ length }) => length)).toEqual([30]);
  });

  it('takes no write where nothing depends on it', async () => {
    const b = bench();
    const { store, starts } = watched(b.store);
    expect(await b.run(() => 'done', ids(3), { store })).toEqual([]);
    expect(starts).toEqual([]);
    expect(await b.claim('r0')).not.toHaveProperty('started');
  });

  it.each<[string, ClaimStore['start']]>([
    ['cannot be written', () => Promise.reject(new Error('down'))],
    ['is refused, because the claim is another owner', async (claims) => claims.map(() => 'lost')],
  ])('that %s runs nothing, and the record comes back', async (_, start) => {
    const b = bench();
    let runs = 0;
    const store = { ...b.store, start } as ClaimStore;
    expect(await b.run(() => (runs += 1), ['a'], { store, maxAttempts: 3 })).toEqual(['a']);
    expect(runs).toBe(0);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', releases: 1 });
  });

  it('that is still being written when the time is over runs nothing', async () => {
    const b = bench();
    let runs = 0;
    const start: ClaimStore['start'] = async (claims) => {
      await b.clock.advance(29_000);
      return (b.store as Required<ClaimStore>).start(claims);
    };
    const options = { store: { ...b.store, start }, maxAttempts: 3 };
    const answer = b.processor(() => (runs += 1), options)(messages('a'), b.lambda(30_000));
    expect(failed(await inTime(b.clock, answer))).toEqual(['a']);
    expect(runs).toBe(0);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', releases: 1 });
  });

  it.each(['start', 'extend'] as const)(
    'is no death when the time is over before it could run: `%s` is written and goes unanswered',
    async (call) => {
      const b = bench();
      const answersAt = b.clock.now() + 29_900;
      const store: ClaimStore = {
        ...b.store,
        [call]: async (claims: never[]) => {
          await (b.store as Required<ClaimStore>)[call](claims);
          return forever();
        },
        acquire: async (requests) => {
          const outcomes = await b.store.acquire(requests);
          await new Promise<void>((resolve) => b.clock.setTimer(resolve, 25_000));
          return outcomes; // with little left of the lease, so that it is renewed
        },
        // Lambda freezes the process once the answer has left.
        settle: (settlements) => (b.clock.now() < answersAt ? b.store.settle(settlements) : forever()),
      };
      let runs = 0;
      const process = b.processor(() => (runs += 1), { store, leaseMs: 30_000, onLapsedLease: 'park' });
      const answer = process(messages('a', 'b'), b.lambda(30_000));
      await b.clock.advance(30_000);
      expect(failed(await answer)).toEqual(['a', 'b']);
      expect(runs).toBe(0);
      for (const id of ['a', 'b']) {
        expect(await b.claim(id)).toMatchObject({ status: 'FAILED', releases: 1, crashes: 0 });
      }
    },
  );

  it('cannot be told from a death in a store without `start`: no more is claimed than can run', async () => {
    const requested: number[] = [];
    const b = bench((clock) => {
      const { start: _start, ...store } = memoryStore({ clock });
      return {
        ...store,
        acquire: (requests) => {
          requested.push(requests.length);
          return store.acquire(requests);
        },
      };
    });
    expect(await b.run(() => 'done', ids(12), { concurrency: 4, onLapsedLease: 'park' })).toEqual([]);
    expect(Math.max(...requested)).toBeLessThanOrEqual(4);
  });
});

import { describe, expect, it } from '@jest/globals';
import { cached, type ClaimStore, resultsIn } from 'batchlatch';
import { type IdempotencyOptions, withIdempotency } from 'batchlatch/functions';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';

const LONG = 'x'.repeat(2_000);

/** A store that keeps results of up to 1,000 bytes in its rows, and counts what it is asked. */
function smallStore(): { store: ClaimStore; asked: () => number } {
  const inner = memoryStore();
  let count = 0;
  const store: ClaimStore = {
    ...inner,
    maxResultBytes: 1_000,
    acquire: (requests) => {
      count += 1;
      return inner.acquire(requests);
    },
  };
  return { store, asked: () => count };
}

function counting(options: Omit<IdempotencyOptions<[string]>, 'key' | 'namespace'>): {
  once: (id: string) => Promise<{ text: string; runs: number }>;
  runs: () => number;
} {
  let runs = 0;
  const once = withIdempotency(
    async (_id: string) => {
      runs += 1;
      return { text: LONG, runs };
    },
    { ...options, key: (id) => id, namespace: 'long' },
  );
  return { once, runs: () => runs };
}

describe('cached', () => {
  it('answers the next call without a request, each time with a value of its own', async () => {
    const { store, asked } = smallStore();
    const { once, runs } = counting({ store: cached({ ...store, maxResultBytes: Infinity }, { max: 10 }) });
    const first = await once('a');
    const before = asked();
    const second = await once('a');
    second.text = 'changed by its caller';
    expect(await once('a')).toEqual(first);
    expect(asked()).toBe(before);
    expect(runs()).toBe(1);
  });
});

describe('resultsIn', () => {
  it('keeps a result that no row can, and brings it to the later callers', async () => {
    const { store } = smallStore();
    const objects = new Map<string, string>();
    const resultStorage = {
      async put(key: string, owner: string, json: string) {
        objects.set(`${key} ${owner}`, json);
        return `${key} ${owner}`;
      },
      get: async (pointer: string) => objects.get(pointer) ?? '',
    };
    const { once, runs } = counting({ store: resultsIn(resultStorage, store) });
    const first = await once('a');
    expect(await once('a')).toEqual(first);
    expect(first.text).toBe(LONG);
    expect([objects.size, runs()]).toEqual([1, 1]);
  });

  it('that does not take the result: every caller is told so, and the effect is not done again', async () => {
    const { store } = smallStore();
    const resultStorage = {
      put: () => Promise.reject(new Error('no bucket')),
      get: () => Promise.reject(new Error('no bucket')),
    };
    const { once, runs } = counting({ store: resultsIn(resultStorage, store) });
    for (let call = 1; call <= 2; call += 1) {
      await expect(once('a')).rejects.toMatchObject({ code: 'BATCHLATCH_UNSERIALIZABLE_RESULT' });
    }
    expect(runs()).toBe(1);
  });

  it('is not asked for a result that fits', async () => {
    const resultStorage = {
      put: () => Promise.reject(new Error('asked')),
      get: () => Promise.reject(new Error('asked')),
    };
    const once = withIdempotency(async (id: string) => id, {
      store: resultsIn(resultStorage, smallStore().store),
      key: (id) => id,
      namespace: 'short',
    });
    expect([await once('a'), await once('a')]).toEqual(['a', 'a']);
  });
});

it("onLapsedLease: 'park' holds also where the answer of the takeover was lost", async () => {
  const clock = manualClock();
  const inner = memoryStore({ clock });
  // Every request is sent twice, as after a lost answer.
  const store: ClaimStore = {
    ...inner,
    async acquire(requests) {
      await inner.acquire(requests);
      return inner.acquire(requests);
    },
  };
  let runs = 0;
  const options = { store, clock, key: (id: string) => id, namespace: 'died', leaseMs: 1_000 };
  const dies = withIdempotency((_id: string) => new Promise<never>(() => undefined), options);
  dies('a').catch(() => undefined);
  await clock.advance(2_000);
  const once = withIdempotency(async (_id: string) => (runs += 1), { ...options, onLapsedLease: 'park' });
  await expect(once('a')).rejects.toMatchObject({ code: 'BATCHLATCH_PARKED' });
  expect(runs).toBe(0);
});

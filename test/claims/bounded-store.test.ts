import { describe, expect, it } from '@jest/globals';
import type { ClaimRequest, ClaimStore, StoreCallOptions } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';
import { boundedStore } from '../../src/claims/bounded-store.ts';
import { Stop, stopOf } from '../../src/claims/stop.ts';

const request: ClaimRequest = { key: 'a', owner: 'me', leaseMs: 1_000, retentionMs: 1_000 };

describe('a bounded store', () => {
  it.each(['the engine', 'a policy'])(
    'gives a store that copies its options the signal, called by %s',
    async (by) => {
      const copies: StoreCallOptions[] = [];
      const memory = memoryStore();
      const copying: ClaimStore = {
        ...memory,
        acquire: (_requests, options) => {
          copies.push({ ...options });
          return new Promise(() => undefined);
        },
      };
      const stop = new Stop();
      const options = by === 'the engine' ? stop : { signal: stop.signal, mayAskAgain: true };
      const asking = boundedStore(copying, manualClock()).acquire([request], options);
      expect(copies[0]?.signal).toBeInstanceOf(AbortSignal);
      expect(copies[0]?.mayAskAgain).toBe(by === 'the engine' ? undefined : true);
      expect(copies[0]?.signal?.aborted).toBe(false);
      stop.abort();
      await expect(asking).rejects.toMatchObject({ code: 'BATCHLATCH_STORE_SILENT' });
      expect(copies[0]?.signal?.aborted).toBe(true);
    },
  );
});

it.each(['acquire', 'settle', 'extend', 'start'] as const)(
  'a bounded store does not wait at all for %s where its signal is aborted already',
  async (method) => {
    const silent = { ...memoryStore(), [method]: () => new Promise(() => undefined) };
    const bounded = boundedStore(silent, manualClock()) as Required<ClaimStore>;
    await expect(bounded[method]([], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'BATCHLATCH_STORE_SILENT',
    });
  },
);

it('a bounded store hands the stop itself to a store that can do with it', async () => {
  const seen: unknown[] = [];
  const watching: ClaimStore = {
    ...memoryStore(),
    settle: async (settlements, options) => {
      seen.push(stopOf(options));
      return settlements.map(() => 'stored');
    },
  };
  await boundedStore(watching, manualClock()).settle([], new Stop());
  expect(seen).toEqual([expect.any(Stop)]);
  const { signal } = new AbortController();
  expect(stopOf({ signal })).toBe(signal);
  expect(stopOf(undefined)).toBeUndefined();
});

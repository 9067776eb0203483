import { describe, expect, it } from '@jest/globals';
import type { ClaimRequest, ClaimStore, StoreCallOptions } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';
import { boundedStore } from '../../src/claims/bounded-store.ts';
import { Stop, type StopSignal } from '../../src/base/stop.ts';

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

it('a bounded store gives each call a stop of its own, which the end of the caller aborts', async () => {
  const seen: (StopSignal | undefined)[] = [];
  const silent: ClaimStore = {
    ...memoryStore(),
    settle: (_settlements, options) => {
      seen.push(options?.signal);
      return new Promise(() => undefined);
    },
  };
  const stop = new Stop();
  const settled = boundedStore(silent, manualClock()).settle([], { signal: stop });
  stop.abort();
  await expect(settled).rejects.toMatchObject({ code: 'BATCHLATCH_STORE_SILENT' });
  expect(seen).toMatchObject([{ aborted: true }]);
});

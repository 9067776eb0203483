import { describe, expect, it } from '@jest/globals';
import type { ClaimRequest, ClaimStore, StoreCallOptions } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';
import { engineStore } from '../../src/claims/engine-store.ts';
import { Stop, type StopSignal } from '../../src/base/stop.ts';

const request: ClaimRequest = { key: 'a', owner: 'me', leaseMs: 1_000, retentionMs: 1_000 };

describe('a store as the engine uses it', () => {
  it.each(['the engine', 'a policy'])(
    'tells a store that copies its options when it is over, called by %s',
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
      const asking = engineStore(copying, manualClock()).acquire([request], options);
      expect(copies[0]?.mayAskAgain).toBe(by === 'the engine' ? undefined : true);
      expect(copies[0]?.signal?.aborted).toBe(false);
      stop.abort();
      await expect(asking).rejects.toMatchObject({ code: 'BATCHLATCH_STORE_SILENT' });
      expect(copies[0]?.signal?.aborted).toBe(true);
    },
  );
});

it.each(['acquire', 'settle', 'extend', 'start'] as const)(
  'a store as the engine uses it does not wait at all for %s where its signal is aborted already',
  async (method) => {
    const silent = { ...memoryStore(), [method]: () => new Promise(() => undefined) };
    const store = engineStore(silent, manualClock()) as Required<ClaimStore>;
    await expect(store[method]([], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'BATCHLATCH_STORE_SILENT',
    });
  },
);

it('a store as the engine uses it gives each call a stop of its own, which the end of the caller aborts', async () => {
  const seen: (StopSignal | undefined)[] = [];
  const silent: ClaimStore = {
    ...memoryStore(),
    settle: (_settlements, options) => {
      seen.push(options?.signal);
      return new Promise(() => undefined);
    },
  };
  const stop = new Stop();
  const settled = engineStore(silent, manualClock()).settle([], { signal: stop });
  stop.abort();
  await expect(settled).rejects.toMatchObject({ code: 'BATCHLATCH_STORE_SILENT' });
  expect(seen).toMatchObject([{ aborted: true }]);
});

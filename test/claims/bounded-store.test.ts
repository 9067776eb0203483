import { describe, expect, it } from '@jest/globals';
import type { ClaimRequest, ClaimStore, StoreCallOptions } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';
import { boundedStore } from '../../src/claims/bounded-store.ts';
import { Stop } from '../../src/claims/stop.ts';

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

import { describe, expect, it } from '@jest/globals';
import type { ClaimStore } from 'batchlatch';
import { type IdempotencyOptions, withIdempotency } from 'batchlatch/functions';
import { memoryStore } from 'batchlatch/memory';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import { gate } from './gate.ts';

const KEY = 'once#function-v1:1';

type Options = Omit<IdempotencyOptions<[string]>, 'key' | 'namespace'>;

function once(fn: () => Promise<unknown>, options: Options): (id: string) => Promise<unknown> {
  return withIdempotency(async (_id: string) => fn(), { ...options, namespace: 'once', key: (id) => id });
}

/** A store whose second acquire is answered 35 seconds late. */
function answeringThePollLate(store: ClaimStore, clock: ManualClock): ClaimStore {
  let calls = 0;
  return {
    ...store,
    async acquire(requests) {
      calls += 1;
      const isLate = calls === 2;
      const outcomes = await store.acquire(requests);
      if (isLate) await new Promise<void>((resolve) => clock.setTimer(resolve, 35_000));
      return outcomes;
    },
  };
}

describe('a call that waits for another, one of whose polls is answered after the next', () => {
  it('keeps its key while it runs, and nobody runs beside it', async () => {
    const clock = manualClock();
    const memory = memoryStore({ clock });
    await memory.acquire([{ key: KEY, owner: 'other', leaseMs: 1_000, retentionMs: 60_000 }]);
    const options = { clock, leaseMs: 300_000 };
    const running = gate();
    const call = once(running.pass, {
      ...options,
      store: answeringThePollLate(memory, clock),
      waitForConflict: { timeoutMs: 120_000 },
    })('1');
    call.catch(() => undefined);
    await memory.settle([{ end: 'release', key: KEY, owner: 'other', releases: 0, retentionMs: 60_000 }]);
    await clock.advance(34_000);
    await running.entered;
    await clock.advance(3_000);
    const beside = once(async () => 'beside', { ...options, store: memory });
    await expect(beside('1')).rejects.toMatchObject({ code: 'BATCHLATCH_CONFLICT' });
    running.open();
    await call;
  });
});

import { waitForOwner } from 'batchlatch';
import { describe, expect, it } from '@jest/globals';
import { type ClaimStore, resultsIn, type ResultStorage } from 'batchlatch';
import { type IdempotencyOptions, withIdempotency } from 'batchlatch/functions';
import { memoryStore } from 'batchlatch/memory';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import { forever } from '../batch/bench.ts';
import { gate } from './gate.ts';

const KEY = 'once#function-v1:1';
const LONG = 'x'.repeat(200);

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
      onConflict: waitForOwner({ timeoutMs: 120_000 }),
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

describe('a result storage that never answers', () => {
  const silent: ResultStorage = { thresholdBytes: 100, put: forever, get: forever };

  it('does not keep a call from its end, nor run it again', async () => {
    const clock = manualClock();
    const store = { ...memoryStore({ clock }), maxResultBytes: 100 };
    let runs = 0;
    const call = once(
      async () => {
        runs += 1;
        return LONG;
      },
      { clock, store: resultsIn(silent, store, { clock }) },
    );
    const first = call('1').catch((error: unknown) => error);
    await clock.advance(30_000);
    expect(await first).toMatchObject({ code: 'BATCHLATCH_UNSERIALIZABLE_RESULT' });
    await clock.advance(600_000);
    await call('1').catch(() => undefined);
    expect(runs).toBe(1);
  });

  it('is an error for a call whose result lies there, and not a wait without an end', async () => {
    const clock = manualClock();
    const store = { ...memoryStore({ clock }), maxResultBytes: 100 };
    const working: ResultStorage = { thresholdBytes: 100, put: async () => 'place', get: async () => LONG };
    await once(async () => LONG, { clock, store: resultsIn(working, store, { clock }) })('1');
    const replay = once(async () => 'again', { clock, store: resultsIn(silent, store, { clock }) })(
      '1',
    ).catch((error: unknown) => error);
    await clock.advance(30_000);
    expect(await replay).toMatchObject({ code: 'BATCHLATCH_RESULT_UNAVAILABLE', isRetryable: true });
  });
});

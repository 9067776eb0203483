import { describe, expect, it } from '@jest/globals';
import { PermanentError } from 'batchlatch';
import { type IdempotencyOptions, withIdempotency } from 'batchlatch/functions';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';

const DAY_MS = 24 * 60 * 60 * 1_000;

type RetentionMs = IdempotencyOptions['retentionMs'];
type Effect = (run: number) => unknown;

/** A function whose runs are counted, on a store and a clock of its own. */
function counting(effect: Effect, members: Partial<IdempotencyOptions<[string]>>) {
  const clock = manualClock();
  const options = { namespace: 'n', key: (id: string) => id, store: memoryStore({ clock }), clock };
  const counted = { clock, runs: 0, call: async (): Promise<unknown> => call('a') };
  const call = withIdempotency(
    async (_id: string) => {
      counted.runs += 1;
      return effect(counted.runs);
    },
    { ...options, ...members },
  );
  return counted;
}

const failingFirst =
  (error: Error): Effect =>
  (run) => {
    if (run === 1) throw error;
    return 'done';
  };

describe('A call whose key is parked', () => {
  it.each<[string, number, RetentionMs]>([
    ['90 days', 90 * DAY_MS, undefined],
    ['its own retention', 7 * DAY_MS, { parked: 7 * DAY_MS }],
    ['90 days where a plain number is shorter', 90 * DAY_MS, 60_000],
    ['a plain number that is longer', 200 * DAY_MS, 200 * DAY_MS],
  ])('runs again after %s', async (_after, parkedMs, retentionMs) => {
    const effect = failingFirst(new PermanentError('no such account'));
    const counted = counting(effect, retentionMs === undefined ? {} : { retentionMs });
    await expect(counted.call()).rejects.toThrow('no such account');
    await counted.clock.advance(parkedMs - 1);
    await expect(counted.call()).rejects.toMatchObject({ code: 'BATCHLATCH_PARKED' });
    await counted.clock.advance(1);
    expect(await counted.call()).toBe('done');
    expect(counted.runs).toBe(2);
  });

  it('because no attempt was left runs again after the retention of what is parked', async () => {
    const counted = counting(failingFirst(new Error('busy')), {
      maxAttempts: 1,
      retentionMs: { parked: DAY_MS },
    });
    await expect(counted.call()).rejects.toThrow('busy');
    await counted.clock.advance(DAY_MS - 1);
    await expect(counted.call()).rejects.toMatchObject({ code: 'BATCHLATCH_PARKED' });
    await counted.clock.advance(1);
    expect(await counted.call()).toBe('done');
  });

  it('because an attempt died runs again after the retention of what is parked', async () => {
    const clock = manualClock();
    const options = { store: memoryStore({ clock }), clock, leaseMs: 1_000 };
    const dying = withIdempotency(() => new Promise<never>(() => undefined), {
      ...options,
      namespace: 'n',
      key: () => 'a',
    });
    void dying();
    await clock.advance(1_000);
    const parking = counting(() => 'done', {
      ...options,
      onLapsedLease: 'park',
      retentionMs: { parked: DAY_MS },
    });
    await expect(parking.call()).rejects.toMatchObject({ code: 'BATCHLATCH_PARKED' });
    await clock.advance(DAY_MS);
    expect(await parking.call()).toBe('done');
  });
});

describe('What a call has done', () => {
  it.each<[string, Effect, Partial<IdempotencyOptions<[string]>>]>([
    ['a result', () => 7, {}],
    ['a result that JSON does not hold', (run) => (run === 1 ? new Date(0) : 7), {}],
    ['a failure that is replayed', failingFirst(new Error('declined')), { replayFailures: true }],
  ])('is remembered as long as a completion: %s', async (_what, effect, members) => {
    const retentionMs = { completed: 2 * DAY_MS, failed: 1_000, parked: 1_000 };
    const counted = counting(effect, { ...members, retentionMs });
    await counted.call().catch(() => undefined);
    await counted.clock.advance(2 * DAY_MS - 1);
    await counted.call().catch(() => undefined);
    expect(counted.runs).toBe(1);
    await counted.clock.advance(1);
    await counted.call();
    expect(counted.runs).toBe(2);
  });
});

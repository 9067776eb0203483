import { describe, expect, it } from '@jest/globals';
import {
  type BatchProcessorOptions,
  type ClaimStore,
  PermanentError,
  type RecordHandler,
  StoreError,
  waitForOwner,
} from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type Bench, bench, failed, forever, messages } from './bench.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

const unknownProduct: RecordHandler = () => {
  throw new PermanentError('unknown product');
};
const declined: RecordHandler = () => {
  throw new Error('card declined');
};

describe('A parked row', () => {
  it.each<[string, number, BatchProcessorOptions]>([
    ['90 days', 90 * DAY_MS, {}],
    ['its own retention', 7 * DAY_MS, { retentionMs: { parked: 7 * DAY_MS } }],
    [
      '90 days also where completions are forgotten sooner or later',
      90 * DAY_MS,
      { retentionMs: { completed: 200 * DAY_MS, failed: 1_000 } },
    ],
    ['90 days where a plain number is shorter', 90 * DAY_MS, { retentionMs: DAY_MS }],
    ['a plain number that is longer', 200 * DAY_MS, { retentionMs: 200 * DAY_MS }],
  ])('is forgotten after %s, and its message then runs', async (_after, retentionMs, options) => {
    const b = bench();
    await b.run(unknownProduct, ['a'], options);
    expect((await b.claim('a'))?.expiresAt).toBe(b.clock.now() + retentionMs);

    await b.clock.advance(retentionMs - 1);
    expect(await b.run(() => 'done', ['a'], options)).toEqual(['a']);
    expect(b.typesOf('a').at(-1)).toBe('parked');

    await b.clock.advance(1);
    expect(await b.run(() => 'done', ['a'], options)).toEqual([]);
    expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED', attempt: 1 });
  });

  it('is not kept any longer for being found again', async () => {
    const b = bench();
    await b.run(unknownProduct, ['a']);
    const expiresAt = (await b.claim('a'))?.expiresAt;
    await b.clock.advance(60 * DAY_MS);
    await b.run(() => 'done', ['a']);
    expect((await b.claim('a'))?.expiresAt).toBe(expiresAt);
  });

  it.each<[string, BatchProcessorOptions]>([
    ['maxAttempts', { maxAttempts: 1 }],
    ['maxCrashes', { maxCrashes: 1 }],
    ["onLapsedLease: 'park'", { onLapsedLease: 'park' }],
  ])('is forgotten whatever it was parked for: %s', async (_reason, options) => {
    const b = bench();
    await b.die('a');
    await b.run(declined, ['a'], { ...options, retentionMs: { parked: DAY_MS } });
    expect(await b.claim('a')).toMatchObject({ status: 'PARKED', expiresAt: b.clock.now() + DAY_MS });
  });
});

describe('retentionMs', () => {
  it.each<[string, BatchProcessorOptions, number]>([
    ['4 days by default', {}, 4 * DAY_MS],
    ['a plain number', { retentionMs: DAY_MS }, DAY_MS],
    ['`completed`', { retentionMs: { completed: DAY_MS } }, DAY_MS],
    ['4 days where only others are named', { retentionMs: { failed: 1_000, parked: 2_000 } }, 4 * DAY_MS],
  ])('of a completion is %s', async (_what, options, expected) => {
    const b = bench();
    await b.run(() => 'done', ['a'], options);
    expect((await b.claim('a'))?.expiresAt).toBe(b.clock.now() + expected);
  });

  it.each<[string, BatchProcessorOptions, number]>([
    ['4 days by default', {}, 4 * DAY_MS],
    ['a plain number', { retentionMs: DAY_MS }, DAY_MS],
    ['`failed`', { retentionMs: { failed: DAY_MS } }, DAY_MS],
    ['4 days where only others are named', { retentionMs: { completed: 1_000, parked: 2_000 } }, 4 * DAY_MS],
  ])('of a failure, and of an attempt that dies, is %s', async (_what, options, expected) => {
    const b = bench();
    await b.run(declined, ['failing'], options);
    expect((await b.claim('failing'))?.expiresAt).toBe(b.clock.now() + expected);

    void b.run(() => new Promise(() => undefined), ['dying'], { ...options, leaseMs: 5_000 });
    await b.told('started', 'dying');
    expect((await b.claim('dying'))?.expiresAt).toBe(b.clock.now() + 5_000 + expected);
  });

  it('of a lease that is extended counts from its new end', async () => {
    const b = bench();
    void b.run(
      async (_record, { extendLease }) => {
        await extendLease(60_000);
        await new Promise(() => undefined);
      },
      ['a'],
      { leaseMs: 5_000, retentionMs: { failed: DAY_MS } },
    );
    await b.told('started', 'a');
    await b.clock.advance(0);
    expect(await b.claim('a')).toMatchObject({
      leaseUntil: b.clock.now() + 60_000,
      expiresAt: b.clock.now() + 60_000 + DAY_MS,
    });
  });
});

describe("With onLapsedLease: 'park', a process that died in its handler", () => {
  it('is remembered for as long as a parked row: who redrives a dead-letter queue weeks later runs nothing', async () => {
    const b = bench();
    void b.processor(forever, { onLapsedLease: 'park', leaseMs: 60_000 })(messages('a'));
    await b.clock.advance(30 * 24 * 3_600_000);
    let runs = 0;
    const again = b.processor(() => (runs += 1), { onLapsedLease: 'park' });
    expect(failed(await again(messages('a')))).toEqual(['a']);
    expect(runs).toBe(0);
    expect((await b.claim('a'))?.status).toBe('PARKED');
  });
});

describe('A claim whose answer was lost, once it is released', () => {
  /** A bench whose store loses the next answer that gives a claim. */
  function benchThatLoses(): Bench & { readonly next: { isLost: boolean } } {
    const next = { isLost: true };
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        async acquire(requests, options) {
          const outcomes = await store.acquire(requests, options);
          if (!next.isLost || outcomes.every(({ status }) => status !== 'acquired')) return outcomes;
          next.isLost = false;
          throw new StoreError('connection reset', { isRetryable: true });
        },
      } satisfies ClaimStore;
    });
    return Object.assign(b, { next });
  }

  it.each<[string, BatchProcessorOptions]>([
    ['by default', {}],
    [
      "with onLapsedLease: 'park', although a claim that is never settled is kept longer",
      { onLapsedLease: 'park' },
    ],
  ])('is kept as long as other released claims: %s', async (_how, options) => {
    const b = benchThatLoses();
    expect(await b.run(() => 'done', ['a'], { ...options, retentionMs: DAY_MS })).toEqual(['a']);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', expiresAt: b.clock.now() + DAY_MS });
  });

  it('is kept as long where the lost answer was that of a poll of waitForOwner()', async () => {
    const b = benchThatLoses();
    b.next.isLost = false;
    const owned = { key: b.key('a'), owner: 'another', retentionMs: DAY_MS };
    await b.store.acquire([{ ...owned, leaseMs: 60_000 }]);
    const waiting = { onLapsedLease: 'park', onConflict: waitForOwner({ timeoutMs: 10 }) } as const;
    const answer = b.run(() => 'done', ['a'], { ...waiting, retentionMs: DAY_MS });
    await b.clock.advance(0);
    await b.store.settle([{ end: 'release', releases: 0, ...owned }]);
    b.next.isLost = true;
    await b.clock.advance(10);
    expect(await answer).toEqual(['a']);
    expect(await b.claim('a')).toMatchObject({
      status: 'FAILED',
      attempt: 2,
      expiresAt: b.clock.now() + DAY_MS,
    });
  });
});

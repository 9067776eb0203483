import { describe, expect, it } from '@jest/globals';
import { backoff, type ClaimStore, StoreError } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type Bench, bench, failed, messages } from './bench.ts';

const TIMEOUT_MS = 30_000;
const MARGIN_MS = 1_000;

/** A bench whose store settles nothing until it is told to. */
function benchWithoutEnds(): Bench & { readonly away: { is: boolean } } {
  const away = { is: true };
  const b = bench((clock) => {
    const store = memoryStore({ clock });
    return {
      ...store,
      settle: async (settlements, options) =>
        away.is
          ? settlements.map(() => ({ error: new StoreError('connection refused', { isRetryable: true }) }))
          : store.settle(settlements, options),
    } satisfies ClaimStore;
  });
  return Object.assign(b, { away });
}

describe('While the store takes no ends', () => {
  it('what is done is stored as soon as the store is back, and is not done again', async () => {
    const b = benchWithoutEnds();
    let runs = 0;
    const processor = b.processor(() => void (runs += 1));
    const answer = processor(messages('a', 'b'), b.lambda(TIMEOUT_MS));
    await b.clock.advance(20_000);
    b.away.is = false;
    await b.clock.advance(2_000);
    expect(failed(await answer)).toEqual([]);
    expect(failed(await processor(messages('a', 'b'), b.lambda(TIMEOUT_MS)))).toEqual([]);
    expect(runs).toBe(2);
    expect(b.eventsOf('settleDelayed')).toMatchObject([{ error: { message: 'connection refused' } }]);
    expect(b.eventsOf('settleFailed')).toEqual([]);
  });

  it('the answer leaves before the margin begins, with time to tell the queue when the messages come again', async () => {
    const b = benchWithoutEnds();
    const shown: unknown[] = [];
    const sqs = {
      changeMessageVisibilityBatch: async (input: { readonly Entries?: unknown[] }) => {
        shown.push(...(input.Entries ?? []));
        return {};
      },
      sendMessage: async () => ({}),
    };
    const startedAt = b.clock.now();
    let answeredAfterMs = 0;
    const answer = b
      .processor(() => 'done', { sqs, visibility: backoff() })(messages('a'), b.lambda(TIMEOUT_MS))
      .finally(() => (answeredAfterMs = b.clock.now() - startedAt));
    await b.clock.advance(TIMEOUT_MS);
    expect(failed(await answer)).toEqual(['a']);
    expect(answeredAfterMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 2 * MARGIN_MS);
    expect(answeredAfterMs).toBeLessThanOrEqual(TIMEOUT_MS - MARGIN_MS);
    expect(shown).toHaveLength(1);
    expect(b.eventsOf('settleFailed')).toMatchObject([{ effectDone: true }]);
  });

  it('what has failed does not keep the invocation', async () => {
    const b = benchWithoutEnds();
    let isAnswered = false;
    const fails = (): never => {
      throw new Error('declined');
    };
    const answer = b
      .processor(fails)(messages('a'), b.lambda(TIMEOUT_MS))
      .finally(() => (isAnswered = true));
    await b.clock.advance(1_000);
    expect(isAnswered).toBe(true);
    expect(failed(await answer)).toEqual(['a']);
  });
});

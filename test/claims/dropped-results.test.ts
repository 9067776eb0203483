import { describe, expect, it } from '@jest/globals';
import { type ClaimStore, type Completion, type SettleOutcome, StoreError } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';
import { engineStore } from '../../src/claims/engine-store.ts';
import { claimRequest, RETENTION_MS, settlementOf } from '../support/claim-builders.ts';

const tooLarge = new StoreError('400 KB', { isRetryable: false, code: 'BATCHLATCH_ITEM_TOO_LARGE' });

/** A store whose rows have no room for a result, and how many settlements each of its calls carried. */
function cramped(): { store: ClaimStore; calls: number[] } {
  const memory = memoryStore({ onCommit: () => undefined });
  const calls: number[] = [];
  const hasRoom = (settlement: object): boolean => !('result' in settlement);
  return {
    calls,
    store: {
      ...memory,
      async settle(settlements) {
        calls.push(settlements.length);
        const fitting = settlements.filter(hasRoom);
        const outcomes = await memory.settle(fitting);
        return settlements.map((one): SettleOutcome =>
          hasRoom(one) ? (outcomes.shift() as SettleOutcome) : { error: tooLarge },
        );
      },
      commit: async (completion, items) =>
        hasRoom(completion)
          ? (memory as Required<ClaimStore>).commit(completion, items)
          : { error: tooLarge },
    },
  };
}

async function completions(store: ClaimStore, told: unknown[]): Promise<Completion[]> {
  const requests = ['droppable', 'kept', 'short'].map((key) => claimRequest(key));
  await store.acquire(requests);
  return requests.map(({ key, owner }): Completion => ({
    end: 'complete',
    key,
    owner,
    retentionMs: RETENTION_MS,
    ...(key !== 'short' && { result: '"long"' }),
    ...(key === 'droppable' && { onResultDropped: (error) => void told.push(error) }),
  }));
}

describe('a completion whose row has no room for its result', () => {
  it('is stored without it, where that is wanted, and who wanted it is told', async () => {
    const { store: inner, calls } = cramped();
    const store = engineStore(inner, manualClock());
    const told: unknown[] = [];
    const settlements = await completions(store, told);
    expect(await store.settle(settlements)).toEqual(['stored', { error: tooLarge }, 'stored']);
    expect(calls).toEqual([3, 1]);
    expect(told).toEqual([tooLarge]);
    expect(await store.inspect('droppable')).toMatchObject({ status: 'COMPLETED' });
  });

  it('takes none of its neighbours along when the store fails meanwhile', async () => {
    const { store: inner } = cramped();
    let calls = 0;
    const failing: ClaimStore = {
      ...inner,
      async settle(settlements) {
        calls += 1;
        if (calls === 2) throw new StoreError('no answer', { isRetryable: true });
        return inner.settle(settlements);
      },
    };
    const store = engineStore(failing, manualClock());
    const outcomes = await store.settle(await completions(store, []));
    expect(outcomes).toMatchObject([{ error: { message: 'no answer' } }, { error: tooLarge }, 'stored']);
  });

  it('is stored without it in a transaction too', async () => {
    const store = engineStore(cramped().store, manualClock()) as Required<ClaimStore>;
    const told: unknown[] = [];
    const [droppable, kept] = (await completions(store, told)) as [Completion, Completion];
    expect(await store.commit(droppable, [])).toBe('stored');
    expect(await store.commit(kept, [])).toEqual({ error: tooLarge });
    expect(told).toEqual([tooLarge]);
  });

  it('is nothing that an observer who throws could keep from being stored', async () => {
    const store = engineStore(cramped().store, manualClock());
    const [droppable] = (await completions(store, [])) as [Completion];
    const onResultDropped = (): never => {
      throw new Error('broken');
    };
    expect(await store.settle([{ ...droppable, onResultDropped }])).toEqual(['stored']);
  });

  it('leaves other ends and other errors alone', async () => {
    const { store: inner, calls } = cramped();
    const store = engineStore(inner, manualClock());
    const request = claimRequest('failed');
    await store.acquire([request]);
    expect(await store.settle([settlementOf('fail', request)])).toEqual(['stored']);
    expect(calls).toEqual([1]);
  });
});

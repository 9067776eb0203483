import { describe, expect, it } from '@jest/globals';
import {
  type BatchEvent,
  cached,
  type ClaimStore,
  type Completion,
  createBatchProcessor,
  resultsIn,
  type ResultStorage,
  type SettleOutcome,
  type Settlement,
  StoreError,
} from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { manualClock, sqsEvent } from 'batchlatch/testing';
import { withResultTexts } from '../../src/claims/result-texts.ts';
import { claimRequest, completion, LEASE_MS, settlementOf } from '../support/claim-builders.ts';
import { memoryResultStorage } from '../support/memory-result-storage.ts';

/** A store that takes so many bytes of a result. */
function storeOf(maxResultBytes: number, clock = manualClock()): ClaimStore {
  return { ...memoryStore({ clock }), maxResultBytes };
}

const LONG = JSON.stringify('ü'.repeat(60)); // 122 bytes

async function complete(store: ClaimStore, key: string, result?: string): Promise<void> {
  const request = claimRequest(key);
  expect(await store.acquire([request])).toMatchObject([{ status: 'acquired' }]);
  expect(await store.settle([completion(request, result)])).toEqual(['stored']);
}

describe('a result storage', () => {
  it('takes what is longer than the store can hold, and gives it to who asks for it', async () => {
    const { storage, objects } = memoryResultStorage();
    const inner = storeOf(100);
    const store = withResultTexts(resultsIn(storage, inner));
    expect(store.maxResultBytes).toBe(Infinity);
    await complete(store, 'long', LONG);
    await complete(store, 'short', '"short"');
    expect([...objects.values()]).toEqual([LONG]);
    expect(
      await store.acquire([claimRequest('long'), claimRequest('short'), claimRequest('new')]),
    ).toMatchObject([
      { status: 'duplicate', result: LONG },
      { status: 'duplicate', result: '"short"' },
      { status: 'acquired' },
    ]);
    expect((await inner.inspect('long'))?.result?.length).toBeLessThan(100);
  });

  it.each([
    [121, 1],
    [122, 0],
    [0, 1],
    [1_000, 0], // but no more than the store can hold
  ])('with a threshold of %d bytes takes %d of 122 bytes', async (thresholdBytes, count) => {
    const { storage, objects } = memoryResultStorage({ thresholdBytes });
    await complete(resultsIn(storage, storeOf(1_000)), 'k', LONG);
    expect(objects.size).toBe(count);
  });

  it('never takes more into the row than the store can hold, whatever the threshold', async () => {
    const { storage, objects } = memoryResultStorage({ thresholdBytes: 1_000 });
    await complete(resultsIn(storage, storeOf(100)), 'k', LONG);
    expect(objects.size).toBe(1);
  });

  it('takes no request for duplicates whose results nobody asks for', async () => {
    const { storage, calls } = memoryResultStorage();
    const store = resultsIn(storage, storeOf(100));
    await complete(store, 'k', LONG);
    const [outcome] = await store.acquire([claimRequest('k')]);
    expect(outcome?.status).toBe('duplicate');
    expect(outcome).not.toHaveProperty('result');
    expect(calls).toEqual(['put']);
  });

  it('has the result before the completion is stored', async () => {
    const { storage, objects } = memoryResultStorage();
    const inner = storeOf(100);
    const seen: number[] = [];
    const store = resultsIn(storage, {
      ...inner,
      settle: (...call) => (seen.push(objects.size), inner.settle(...call)),
    });
    await complete(store, 'k', LONG);
    expect(seen).toEqual([1]);
  });

  it('keeps the result of the winner, whatever a late owner stores', async () => {
    const { storage, objects } = memoryResultStorage();
    const clock = manualClock();
    const store = withResultTexts(resultsIn(storage, storeOf(10, clock)));
    const [late, next] = [claimRequest('k'), claimRequest('k')];
    await store.acquire([late]);
    await clock.advance(LEASE_MS);
    await store.acquire([next]);
    expect(await store.settle([completion(next, '"of the next"')])).toEqual(['stored']);
    expect(await store.settle([completion(late, '"of the late"')])).toEqual(['lost']);
    expect(await store.acquire([claimRequest('k')])).toMatchObject([{ result: '"of the next"' }]);
    expect(objects.size).toBe(2); // nothing points to the other
  });

  it.each([
    ['"@stored k/o"', 1_000],
    ['{"@stored ":1}', 1_000],
  ])('takes no result for a pointer: %s', async (json, max) => {
    const store = withResultTexts(resultsIn(memoryResultStorage().storage, storeOf(max)));
    await complete(store, 'k', json);
    expect(await store.acquire([claimRequest('k')])).toMatchObject([{ status: 'duplicate', result: json }]);
  });

  it.each(['@stored k/o', '@text @stored k/o', '@stored', '@'])(
    'takes no result for a pointer, although it looks like one: %s',
    async (text) => {
      for (const isWritten of [false, true]) {
        const inner = storeOf(1_000);
        const { storage, calls } = memoryResultStorage();
        const there = resultsIn(storage, inner);
        await complete(withResultTexts(isWritten ? there : inner), 'k', text);
        for (const read of [inner, there]) {
          const store = withResultTexts(read);
          expect(await store.acquire([claimRequest('k')])).toMatchObject([
            { status: 'duplicate', result: text },
          ]);
        }
        expect(calls).toEqual([]);
      }
    },
  );

  it.each(['@stored k/o', '@stored-text @stored k/o', '@text @stored k/o', '@'])(
    'gives every text back to those who use it as it is: %s',
    async (text) => {
      const { storage, calls } = memoryResultStorage();
      const store = resultsIn(storage, storeOf(1_000));
      await complete(store, 'k', text);
      expect(await store.acquire([claimRequest('k')], { wantsResults: true })).toMatchObject([
        { status: 'duplicate', result: text },
      ]);
      expect(calls).toEqual([]);
    },
  );

  it('is missed by who needs its result and no longer has it', async () => {
    const inner = storeOf(100);
    await complete(resultsIn(memoryResultStorage().storage, inner), 'k', LONG);
    const store = withResultTexts(inner);
    expect(store.maxResultBytes).toBe(100);
    expect(await store.acquire([claimRequest('k')])).toMatchObject([
      { status: 'error', error: { code: 'BATCHLATCH_RESULT_UNAVAILABLE', isRetryable: false } },
    ]);
  });

  it('takes the long result of a commit too, before the commit', async () => {
    const { storage, objects } = memoryResultStorage();
    const inner = {
      ...memoryStore({ clock: manualClock(), onCommit: () => undefined }),
      maxResultBytes: 100,
    };
    const store = withResultTexts(resultsIn(storage, inner));
    const request = claimRequest('committed');
    await store.acquire([request]);
    const done = completion(request, LONG) as Completion;
    expect(await store.commit?.(done, [{ Put: { TableName: 't', Item: { id: 1 } } }])).toBe('stored');
    expect([...objects.values()]).toEqual([LONG]);
    expect((await inner.inspect('committed'))?.result).not.toBe(LONG);
    expect(await store.acquire([claimRequest('committed')])).toMatchObject([{ result: LONG }]);
  });

  it('makes no store commit that cannot', () => {
    expect(resultsIn(memoryResultStorage().storage, storeOf(100)).commit).toBeUndefined();
  });

  describe('beside a row that has no room for a result below the bound', () => {
    it('takes the result, and the row points to it', async () => {
      const { storage, objects } = memoryResultStorage();
      const { inner, tried } = refusing(100);
      const store = withResultTexts(resultsIn(storage, inner));
      const [long, other] = [claimRequest('long'), claimRequest('other')];
      await store.acquire([long, other]);
      expect(await store.settle([completion(long, LONG), completion(other, '1')])).toEqual([
        'stored',
        'stored',
      ]);
      expect([...objects.values()]).toEqual([LONG]);
      expect(tried()).toBe(2);
      expect(await store.acquire([claimRequest('long'), claimRequest('other')])).toMatchObject([
        { status: 'duplicate', result: LONG },
        { status: 'duplicate', result: '1' },
      ]);
    });

    it('takes the result of a commit, which is then made again', async () => {
      const { storage, objects } = memoryResultStorage();
      const memory = memoryStore({ clock: manualClock(), onCommit: () => undefined });
      const sizes: number[] = [];
      const error = new StoreError('too large', { isRetryable: false, code: 'BATCHLATCH_ITEM_TOO_LARGE' });
      const inner: ClaimStore = {
        ...memory,
        async commit(done, ...rest) {
          const size = Buffer.byteLength(done.result ?? '');
          sizes.push(size);
          return size > 100 ? { error } : (memory as Required<ClaimStore>).commit(done, ...rest);
        },
      };
      const store = withResultTexts(resultsIn(storage, inner));
      const request = claimRequest('k');
      await store.acquire([request]);
      const done = completion(request, LONG) as Completion;
      expect(await store.commit?.(done, [{ Put: { TableName: 't', Item: { id: 1 } } }])).toBe('stored');
      expect([sizes.length, [...objects.values()]]).toEqual([2, [LONG]]);
      expect(await store.acquire([claimRequest('k')])).toMatchObject([{ result: LONG }]);
    });

    it('costs the result and not the completion, where nobody looks at results and it cannot take it', async () => {
      const dropped: unknown[] = [];
      const { inner } = refusing(100);
      const put = () => Promise.reject(new Error('slow down'));
      const store = resultsIn({ ...memoryResultStorage().storage, put }, inner);
      const request = claimRequest('k');
      await store.acquire([request]);
      const onResultDropped = (error: unknown): unknown => dropped.push(error);
      const settlement = { ...completion(request, LONG), onResultDropped } as Settlement;
      expect(await store.settle([settlement])).toEqual(['stored']);
      expect(dropped).toMatchObject([{ message: 'slow down' }]);
    });

    it('says that the result is not stored where somebody needs it', async () => {
      const { inner } = refusing(100);
      const put = () => Promise.reject(new Error('slow down'));
      const store = withResultTexts(resultsIn({ ...memoryResultStorage().storage, put }, inner));
      const request = claimRequest('k');
      await store.acquire([request]);
      expect(await store.settle([completion(request, LONG)])).toMatchObject([
        { error: { code: 'BATCHLATCH_RESULT_NOT_STORED', isRetryable: false } },
      ]);
    });

    it('leaves the refusal as it is where there is none', async () => {
      const store = withResultTexts(refusing(100).inner);
      const request = claimRequest('k');
      await store.acquire([request]);
      expect(await store.settle([completion(request, LONG)])).toMatchObject([
        { error: { code: 'BATCHLATCH_ITEM_TOO_LARGE' } },
      ]);
    });

    /** A store whose rows have room for so many bytes of a result, and which does not say so before. */
    function refusing(bytes: number): { inner: ClaimStore; tried: () => number } {
      const memory = memoryStore({ clock: manualClock() });
      let calls = 0;
      const tooLarge = new StoreError('too large', { isRetryable: false, code: 'BATCHLATCH_ITEM_TOO_LARGE' });
      const isTooLarge = (one: Settlement): boolean =>
        one.end === 'complete' && Buffer.byteLength(one.result ?? '') > bytes;
      const inner: ClaimStore = {
        ...memory,
        async settle(all) {
          calls += 1;
          const stored = await memory.settle(all.filter((one) => !isTooLarge(one)));
          return all.map((one) =>
            isTooLarge(one) ? { error: tooLarge } : (stored.shift() as SettleOutcome),
          );
        },
      };
      return { inner, tried: () => calls };
    }
  });

  describe('that fails', () => {
    const failing = (thresholdBytes?: number): ResultStorage => ({
      ...(thresholdBytes !== undefined && { thresholdBytes }),
      put: () => Promise.reject(new Error('slow down')),
      get: () => Promise.reject(new Error('slow down')),
    });

    it('costs the result, not the completion', async () => {
      const dropped: unknown[] = [];
      const store = resultsIn(failing(), storeOf(100));
      const request = claimRequest('k');
      await store.acquire([request]);
      const onResultDropped = (error: unknown): unknown => dropped.push(error);
      const settlement = { ...completion(request, LONG), onResultDropped } as Settlement;
      expect(await store.settle([settlement])).toEqual(['stored']);
      expect(dropped).toMatchObject([{ message: 'slow down' }]);
      const [outcome] = await store.acquire([claimRequest('k')]);
      expect(outcome?.status).toBe('duplicate');
      expect(outcome).not.toHaveProperty('result');
    });

    it('costs nothing where the row can hold the result', async () => {
      const store = resultsIn(failing(10), storeOf(1_000));
      await complete(store, 'k', LONG);
      expect(await store.acquire([claimRequest('k')])).toMatchObject([{ result: LONG }]);
    });

    it('leaves the neighbours alone, and each its own place', async () => {
      const { storage } = memoryResultStorage();
      const store = withResultTexts(
        resultsIn(
          { ...storage, put: (key, ...rest) => (key === 'b' ? failing() : storage).put(key, ...rest) },
          storeOf(100),
        ),
      );
      const requests = ['a', 'b', 'c', 'd', 'e'].map((key) => claimRequest(key));
      await store.acquire(requests);
      const [a, b, c, d, e] = requests as [never, never, never, never, never];
      expect(
        await store.settle([
          completion(a, LONG),
          completion(b, LONG),
          settlementOf('fail', c),
          completion({ ...(d as object), owner: 'stranger' } as never, LONG),
          completion(e, '1'),
        ]),
      ).toMatchObject([
        'stored',
        { error: { code: 'BATCHLATCH_RESULT_NOT_STORED', isRetryable: false } },
        'stored',
        'lost',
        'stored',
      ]);
      expect(await store.acquire(requests.map(({ key }) => claimRequest(key)))).toMatchObject([
        { status: 'duplicate', result: LONG },
        { status: 'conflict' },
        { status: 'acquired', attempt: 2 },
        { status: 'conflict' },
        { status: 'duplicate', result: '1' },
      ]);
    });

    it('is a retryable error for who needs the result, and for nobody else', async () => {
      const { storage, objects } = memoryResultStorage();
      const inner = storeOf(100);
      await complete(resultsIn(storage, inner), 'k', LONG);
      await complete(inner, 'other', '1');
      objects.clear();
      const store = withResultTexts(resultsIn(storage, inner));
      expect(await store.acquire([claimRequest('k'), claimRequest('other')])).toMatchObject([
        { status: 'error', error: { code: 'BATCHLATCH_RESULT_UNAVAILABLE', isRetryable: true } },
        { status: 'duplicate', result: '1' },
      ]);
    });

    it('says each settlement’s own error when the store fails beside it', async () => {
      const inner = storeOf(100);
      const store = resultsIn(memoryResultStorage().storage, {
        ...inner,
        settle: () => Promise.reject(new Error('down')),
      });
      const [a, b] = [claimRequest('a'), claimRequest('b')];
      expect(await store.settle([completion(a, LONG), completion(b, '1')])).toMatchObject([
        { error: { message: 'down' } },
        { error: { message: 'down' } },
      ]);
    });
  });

  it('is put before the store of a processor, which tells of what it dropped', async () => {
    const { storage, objects, calls } = memoryResultStorage({ thresholdBytes: 100 });
    const events: BatchEvent[] = [];
    const run = (resultStorage: ResultStorage, store: ClaimStore, id: string) =>
      createBatchProcessor(async () => 'x'.repeat(200), {
        store: cached(resultsIn(resultStorage, store), { max: 10 }),
        namespace: 'n',
        observer: { onEvent: (event) => events.push(event) },
      })(sqsEvent([{ messageId: id, body: {} }]));

    const store = storeOf(150);
    expect(await run(storage, store, 'm')).toEqual({ batchItemFailures: [] });
    expect([...objects.values()]).toEqual([JSON.stringify('x'.repeat(200))]);
    expect(await run(storage, store, 'm')).toEqual({ batchItemFailures: [] });
    expect(calls).toEqual(['put']);
    expect(events.map(({ type }) => type)).not.toContain('resultDropped');

    const failing = { ...storage, put: () => Promise.reject(new Error('slow down')) };
    expect(await run(failing, store, 'other')).toEqual({ batchItemFailures: [] });
    expect(await store.inspect('n#v1:other')).toMatchObject({ status: 'COMPLETED' });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'resultDropped', recordId: 'other', error: expect.any(Error) }),
    );
  });
});

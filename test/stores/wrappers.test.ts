import { describe, expect, it } from '@jest/globals';
import {
  cached,
  type CachedOptions,
  type ClaimRequest,
  type ClaimStore,
  type Completion,
  createBatchProcessor,
  resultsIn,
  type ResultsInOptions,
  type ResultStorage,
} from 'batchlatch';
import { withIdempotency } from 'batchlatch/functions';
import { memoryStore } from 'batchlatch/memory';
import { describeClaimStore, manualClock, sqsEvent } from 'batchlatch/testing';
import { claimRequest, completion } from '../support/claim-builders.ts';
import { countersInMemory } from '../support/counters-in-memory.ts';
import { memoryResultStorage } from '../support/memory-result-storage.ts';
import { transactedRows } from '../../src/claims/transacted.ts';

const LONG = JSON.stringify('x'.repeat(200));
const WANTED = { wantsResults: true };

const orders: [
  string,
  (storage: ResultStorage, store: ClaimStore, clock?: CachedOptions['clock']) => ClaimStore,
][] = [
  [
    'cached(resultsIn(…))',
    (storage, store, clock) => cached(resultsIn(storage, store), { max: 10, ...(clock && { clock }) }),
  ],
  [
    'resultsIn(…, cached(…))',
    (storage, store, clock) => resultsIn(storage, cached(store, { max: 10, ...(clock && { clock }) })),
  ],
];

async function complete(store: ClaimStore, key: string, members: Partial<Completion>): Promise<ClaimRequest> {
  const request = claimRequest(key);
  expect(await store.acquire([request])).toMatchObject([{ status: 'acquired' }]);
  expect(await store.settle([{ ...(completion(request) as Completion), ...members }])).toEqual(['stored']);
  return request;
}

describe.each(orders)('%s', (name, wrap) => {
  const { onCommit, ...commit } = countersInMemory();
  describeClaimStore({
    name: `memoryStore behind ${name}`,
    create: (clock) => wrap(memoryResultStorage().storage, memoryStore({ clock, onCommit }), clock),
    commit,
  });

  /** A store that takes so many bytes of a result, behind both, and how often each of the two is asked. */
  function open(storage = memoryResultStorage()) {
    const memory = memoryStore();
    const asked = { acquire: 0 };
    const inner: ClaimStore = {
      ...memory,
      maxResultBytes: 100,
      acquire(...call) {
        asked.acquire += 1;
        return memory.acquire(...call);
      },
    };
    return { store: wrap(storage.storage, inner), inner, asked, ...storage };
  }

  it('brings a long result to who wants it, as the same text each time', async () => {
    const { store, objects } = open();
    await complete(store, 'k', { result: LONG });
    expect(objects.size).toBe(1);
    for (let time = 1; time <= 3; time += 1) {
      expect(await store.acquire([claimRequest('k')], WANTED)).toMatchObject([
        { status: 'duplicate', result: LONG },
      ]);
    }
  });

  it('brings it also to who wants it after somebody who did not', async () => {
    const { store, inner, storage } = open();
    await complete(resultsIn(storage, inner), 'k', { result: LONG }); // by another process
    expect((await store.acquire([claimRequest('k')]))[0]).not.toHaveProperty('result');
    expect(await store.acquire([claimRequest('k')], WANTED)).toMatchObject([
      { status: 'duplicate', result: LONG },
    ]);
    expect(await store.acquire([claimRequest('k')])).toMatchObject([{ status: 'duplicate' }]);
  });

  it('spares duplicates the request to the store, and to the storage where nobody wants the result', async () => {
    const { store, asked, calls } = open();
    await complete(store, 'k', { result: LONG });
    const before = asked.acquire;
    for (let time = 1; time <= 3; time += 1) await store.acquire([claimRequest('k')]);
    await store.acquire([claimRequest('k')], WANTED);
    expect(asked.acquire).toBe(before);
    expect(calls.filter((call) => call === 'put')).toHaveLength(1);
  });

  it('has no result where it was dropped', async () => {
    const { storage } = memoryResultStorage();
    const put = () => Promise.reject(new Error('slow down'));
    const { store } = open({ ...memoryResultStorage(), storage: { ...storage, put } });
    const dropped: unknown[] = [];
    await complete(store, 'k', { result: LONG, onResultDropped: (error) => void dropped.push(error) });
    expect(dropped).toMatchObject([{ message: 'slow down' }]);
    const [outcome] = await store.acquire([claimRequest('k')], WANTED);
    expect(outcome?.status).toBe('duplicate');
    expect(outcome).not.toHaveProperty('result');
  });

  it('is one store to a batch and to a function that share it', async () => {
    const { store } = open();
    const run = async (): Promise<string> => 'x'.repeat(200);
    const once = withIdempotency(run, { store, namespace: 'n', key: () => 'k' });
    expect(await once()).toBe(await once());
    const handler = createBatchProcessor(run, {
      store,
      namespace: 'm',
      observer: { onEvent: () => undefined },
    });
    const event = sqsEvent([{ body: {} }]);
    expect(await handler(event)).toEqual({ batchItemFailures: [] });
    expect(await handler(event)).toEqual({ batchItemFailures: [] });
  });

  it('passes on what the store says of itself, and calls its methods on the store itself', async () => {
    class OwnStore implements ClaimStore {
      readonly #inner = memoryStore();
      readonly place = 'here';
      readonly requestSize = 7;
      readonly transacted = { kind: 'own', rows: 'marked' };
      acquire = this.#inner.acquire;
      settle = this.#inner.settle;
      extend = this.#inner.extend;
      inspect(key: string) {
        return this.#inner.inspect(key);
      }
    }
    const store = wrap(memoryResultStorage().storage, new OwnStore()) as OwnStore;
    expect([store.place, store.requestSize, transactedRows(store, 'own')]).toEqual(['here', 7, 'marked']);
    expect(['inspect' in store, 'commit' in store]).toEqual([true, false]);
    expect(await store.inspect('k')).toBeUndefined();
  });

  it('is known for the store behind it by two processors that would share its default namespace', async () => {
    const inner = memoryStore();
    const processor = () =>
      createBatchProcessor(async () => undefined, {
        store: wrap(memoryResultStorage().storage, inner),
        key: ({ id }) => id,
        observer: { onEvent: () => undefined },
      });
    const event = sqsEvent([{ body: {} }]);
    expect(await processor()(event)).toEqual({ batchItemFailures: [] });
    await expect(processor()(event)).rejects.toMatchObject({ code: 'BATCHLATCH_CONFIGURATION' });
  });
});

it('cached does not hold long results: who wants one asks the store', async () => {
  const memory = memoryStore();
  let asked = 0;
  const counted: ClaimStore = { ...memory, acquire: (...call) => ((asked += 1), memory.acquire(...call)) };
  const store = cached(counted, { max: 10 });
  const result = JSON.stringify('x'.repeat(16_383));
  await complete(store, 'k', { result });
  asked = 0;
  expect(await store.acquire([claimRequest('k')])).toMatchObject([{ status: 'duplicate' }]);
  expect(asked).toBe(0);
  expect(await store.acquire([claimRequest('k')], WANTED)).toMatchObject([{ status: 'duplicate', result }]);
  expect(asked).toBe(1);
});

describe('Wrappers refuse what cannot work', () => {
  const store = memoryStore();
  const { storage } = memoryResultStorage();
  const clock = manualClock();

  it.each<[string, unknown, unknown, RegExp]>([
    ['no store', undefined, { max: 1 }, /^cached: Expected `store` to be an object with acquire\(\)/],
    ['no options', store, undefined, /^cached: Expected the options to be an object/],
    ['a number', store, 1_000, /^cached: Expected the options to be an object/],
    ['no max', store, {}, /^cached: Expected `max` to be an integer from 1 up, got `undefined`/],
    ['max 0', store, { max: 0 }, /^cached: Expected `max` to be an integer from 1 up, got `0`/],
    [
      'a misspelt option',
      store,
      { max: 1, clok: clock },
      /^cached: Unknown option `clok`; known options are max, clock/,
    ],
    ['no clock', store, { max: 1, clock: {} }, /^cached: Expected `clock` to be an object with now\(\)/],
  ])('cached: %s', (_what, given, options, message) => {
    expect(() => cached(given as ClaimStore, options as CachedOptions)).toThrow(message);
  });

  it.each<[string, unknown, unknown, unknown, RegExp]>([
    [
      'no storage',
      undefined,
      store,
      {},
      /^resultsIn: Expected `storage` to be an object with put\(\), get\(\)/,
    ],
    ['the other order', store, storage, {}, /^resultsIn: Expected `storage`/],
    ['no store', storage, undefined, {}, /^resultsIn: Expected `store`/],
    [
      'a threshold below 0',
      { ...storage, thresholdBytes: -1 },
      store,
      {},
      /^resultsIn: Expected `thresholdBytes`/,
    ],
    [
      'an unknown option',
      storage,
      store,
      { max: 1 },
      /^resultsIn: Unknown option `max`; known options are clock/,
    ],
    ['a clock without timers', storage, store, { clock: { now: () => 0 } }, /^resultsIn: Expected `clock`/],
  ])('resultsIn: %s', (_what, givenStorage, givenStore, options, message) => {
    expect(() =>
      resultsIn(givenStorage as ResultStorage, givenStore as ClaimStore, options as ResultsInOptions),
    ).toThrow(message);
  });
});

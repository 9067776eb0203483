import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  type AcquireOutcome,
  cached,
  type ClaimStore,
  type Completion,
  createBatchProcessor,
  type RecordHandler,
} from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext, type ManualClock, manualClock, sqsEvent } from 'batchlatch/testing';
import { claimRequest, completion, LEASE_MS, RETENTION_MS, settlementOf } from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';

/** Leaves DynamoDB out where `BATCHLATCH_TEST_STORES` says so: mutation testing, see scripts/mutation.sh. */
const kinds = process.env['BATCHLATCH_TEST_STORES'] === 'memory' ? ['memory'] : ['memory', 'DynamoDB'];

describe.each(kinds)('C13 a local cache before %s', (kind) => {
  const table = kind === 'DynamoDB' ? emulatedTable('dynoxide') : undefined;

  /** A cached store, the store behind it as another process has it, and for how many keys each call asks that one. */
  function open({ max = 100 } = {}) {
    const clock = manualClock();
    const memory = memoryStore({ clock });
    const newStore = (): ClaimStore =>
      table === undefined
        ? memory
        : dynamoDBStore({ tableName: table.tableName, client: table.newClient(), clock });
    const behind = newStore();
    const { counted, requests } = counting(behind);
    const store = cached(counted, { max, clock });
    return { clock, store, requests, elsewhere: newStore(), key: randomUUID() };
  }

  it('answers for what this process completed, without a request', async () => {
    const { store, requests, key, clock } = open();
    await complete(store, key, '{"total":3}');
    const completedAt = clock.now();
    requests.length = 0;
    expect(await store.acquire([claimRequest(key)])).toEqual([
      { status: 'duplicate', result: '{"total":3}', completedAt, expiresAt: completedAt + RETENTION_MS },
    ]);
    expect(await store.acquire([claimRequest(key, { isRedelivery: true })])).toMatchObject([
      { status: 'duplicate', result: '{"total":3}' },
    ]);
    expect(requests).toEqual([]);
  });

  it('answers for what another process completed, once the store has said so', async () => {
    const { store, elsewhere, requests, key } = open();
    await complete(elsewhere, key, '7');
    expect(await store.acquire([claimRequest(key)])).toMatchObject([{ status: 'duplicate', result: '7' }]);
    requests.length = 0;
    expect(await store.acquire([claimRequest(key)])).toMatchObject([{ status: 'duplicate', result: '7' }]);
    expect(requests).toEqual([]);
  });

  it('asks for the rest of a request alone, and answers in order', async () => {
    const { store, requests } = open();
    const keys = Array.from({ length: 5 }, () => randomUUID());
    await complete(store, keys[1] as string, '1');
    await complete(store, keys[3] as string, '3');
    requests.length = 0;
    expect(await store.acquire(keys.map((key) => claimRequest(key)))).toMatchObject([
      { status: 'acquired' },
      { status: 'duplicate', result: '1' },
      { status: 'acquired' },
      { status: 'duplicate', result: '3' },
      { status: 'acquired' },
    ]);
    expect(requests).toEqual([3]);
  });

  it('never hands out the same object twice, and replays instead of rejecting', async () => {
    const { store, key } = open();
    await complete(store, key, '{"lines":[1]}');
    const [first] = await store.acquire([claimRequest(key)]);
    Object.assign(first as object, { result: 'spoilt' });
    const [second] = await store.acquire([claimRequest(key)]);
    expect(second).not.toBe(first);
    expect(second).toMatchObject({ status: 'duplicate', result: '{"lines":[1]}' });
  });

  it('never skips payload validation', async () => {
    const { store, requests, key } = open();
    await complete(store, key, '7', { payloadHash: 'a' });
    requests.length = 0;
    expect(await store.acquire([claimRequest(key, { payloadHash: 'b' })])).toEqual([{ status: 'mismatch' }]);
    expect(requests).not.toEqual([]);
    requests.length = 0;
    expect(await store.acquire([claimRequest(key, { payloadHash: 'a' })])).toMatchObject([
      { status: 'duplicate' },
    ]);
    expect(await store.acquire([claimRequest(key)])).toMatchObject([{ status: 'duplicate' }]);
    expect(requests).toEqual([]);
  });

  it('asks the store where it does not know the payload', async () => {
    const { store, elsewhere, key } = open();
    await complete(elsewhere, key, '7', { payloadHash: 'a' });
    expect(await store.acquire([claimRequest(key)])).toMatchObject([{ status: 'duplicate' }]); // asked for none
    expect(await store.acquire([claimRequest(key, { payloadHash: 'b' })])).toEqual([{ status: 'mismatch' }]);
  });

  it('knows the payload that the store has accepted, and no other', async () => {
    const { store, elsewhere, requests, key } = open();
    await complete(elsewhere, key, '7', { payloadHash: 'a' });
    expect(await store.acquire([claimRequest(key, { payloadHash: 'a' })])).toMatchObject([
      { status: 'duplicate' },
    ]);
    requests.length = 0;
    expect(await store.acquire([claimRequest(key, { payloadHash: 'a' })])).toMatchObject([
      { status: 'duplicate', result: '7' },
    ]);
    expect(requests).toEqual([]);
    expect(await store.acquire([claimRequest(key, { payloadHash: 'b' })])).toEqual([{ status: 'mismatch' }]);
    expect(requests).toEqual([1]);
  });

  it('does not mix up the payloads of what is in progress', async () => {
    const { store, key } = open();
    const mine = claimRequest(key, { payloadHash: 'a' });
    const other = claimRequest(randomUUID(), { payloadHash: 'b' });
    await store.acquire([mine, other]);
    await store.settle([completion(mine), completion(other)]);
    expect(await store.acquire([claimRequest(key, { payloadHash: 'b' })])).toEqual([{ status: 'mismatch' }]);
    expect(await store.acquire([claimRequest(key, { payloadHash: 'a' })])).toMatchObject([
      { status: 'duplicate' },
    ]);
  });

  it('forgets with the row, of its own completions and of others', async () => {
    const { store, elsewhere, key, clock } = open();
    const other = randomUUID();
    await complete(store, key);
    await complete(elsewhere, other);
    expect(await store.acquire([claimRequest(other)])).toMatchObject([{ status: 'duplicate' }]);
    await clock.advance(RETENTION_MS - 1);
    expect(await store.acquire([claimRequest(key), claimRequest(other)])).toMatchObject([
      { status: 'duplicate' },
      { status: 'duplicate' },
    ]);
    await clock.advance(1_000);
    expect(await store.acquire([claimRequest(key), claimRequest(other)])).toMatchObject([
      { status: 'acquired' },
      { status: 'acquired' },
    ]);
  });

  it('does not know what is in progress, failed, parked, lost or not stored', async () => {
    const { store, elsewhere, clock } = open();
    const [busy, failed, parked, lost] = Array.from({ length: 4 }, () => claimRequest(randomUUID())) as [
      ReturnType<typeof claimRequest>,
      ReturnType<typeof claimRequest>,
      ReturnType<typeof claimRequest>,
      ReturnType<typeof claimRequest>,
    ];
    await store.acquire([busy, failed, parked, lost]);
    await store.settle([settlementOf('fail', failed), settlementOf('park', parked)]);
    await clock.advance(LEASE_MS);
    await elsewhere.acquire([claimRequest(lost.key)]);
    expect(await store.settle([completion(lost)])).toEqual(['lost']);
    const again = [busy, failed, parked, lost].map(({ key }) => claimRequest(key));
    expect(await store.acquire(again)).toMatchObject([
      { status: 'acquired', tookOver: true },
      { status: 'acquired', attempt: 2 },
      { status: 'parked' },
      { status: 'conflict' },
    ]);
  });

  it('keeps the most recently used', async () => {
    const { store, requests } = open({ max: 2 });
    const keys = Array.from({ length: 6 }, () => randomUUID());
    for (const key of keys) await complete(store, key);
    requests.length = 0;
    await store.acquire([claimRequest(keys[5] as string)]);
    expect(requests).toEqual([]);
    await store.acquire([claimRequest(keys[0] as string)]);
    expect(requests).not.toEqual([]);
  });

  it('answers for what it knows when the store fails for the rest', async () => {
    const clock = manualClock();
    const working = memoryStore({ clock });
    let isDown = false;
    const store = cached(
      {
        ...working,
        acquire: (...call) => (isDown ? Promise.reject(new Error('down')) : working.acquire(...call)),
      },
      { max: 10, clock },
    );
    await complete(store, 'done');
    isDown = true;
    expect(await store.acquire([claimRequest('done'), claimRequest('new')])).toMatchObject([
      { status: 'duplicate' },
      { status: 'error', error: { message: 'down' } },
    ]);
    await expect(store.acquire([claimRequest('new')])).rejects.toThrow('down');
  });

  it('leaves everything else to the store, private fields included', async () => {
    class OwnStore implements ClaimStore {
      readonly #inner = memoryStore();
      readonly requestSize = 7;
      acquire = this.#inner.acquire;
      settle = this.#inner.settle;
      extend(...call: Parameters<ClaimStore['extend']>) {
        return this.#inner.extend(...call);
      }
      inspect(key: string) {
        return this.#inner.inspect(key);
      }
    }
    const given = Object.freeze(new OwnStore());
    const store = cached(given, { max: 1, clock: manualClock() });
    await complete(store, 'done');
    expect(await store.acquire([claimRequest('done')])).toMatchObject([{ status: 'duplicate' }]);
    expect([store.requestSize, await store.inspect('k')]).toEqual([7, undefined]);
    expect(await store.extend([{ ...claimRequest('k') }])).toEqual(['lost']);
  });

  it('remembers nothing past the end of the retention, to the millisecond', async () => {
    const { store, clock, key } = openInMemory();
    await complete(store, key);
    await clock.advance(RETENTION_MS - 1);
    expect(await store.acquire([claimRequest(key)])).toMatchObject([{ status: 'duplicate' }]);
    await clock.advance(1);
    expect(await store.acquire([claimRequest(key)])).toMatchObject([{ status: 'acquired', attempt: 1 }]);
  });

  it('remembers what was committed, and nothing of what was refused', async () => {
    const { store, requests, key } = openInMemory((items) =>
      items.length > 1 ? new Error('refused') : undefined,
    );
    const item = { Put: { TableName: 'effects', Item: { id: 'a' } } };
    const request = claimRequest(key);
    const completing = completion(request, '1') as Completion;
    await store.acquire([request]);
    expect(await store.commit?.(completing, [item, item])).toEqual({ refused: new Error('refused') });
    requests.length = 0;
    expect(await store.acquire([claimRequest(key)])).toMatchObject([{ status: 'conflict' }]);
    expect(requests).toEqual([1]);
    expect(await store.commit?.(completing, [item])).toBe('stored');
    expect(await store.acquire([claimRequest(key)])).toMatchObject([{ status: 'duplicate', result: '1' }]);
    expect(requests).toEqual([1]);
  });

  it('makes no store commit that cannot', () => {
    expect(openInMemory().store).not.toHaveProperty('commit');
  });

  it('keeps nothing whose end the store does not tell, and gets along with a store that answers too little', async () => {
    const clock = manualClock();
    const memory = memoryStore({ clock });
    const answers: AcquireOutcome[][] = [[{ status: 'duplicate' }], [{ status: 'duplicate' }], []];
    let asked = 0;
    const acquire: ClaimStore['acquire'] = async () => answers[asked++] ?? [];
    const store = cached({ ...memory, acquire }, { max: 10, clock });
    expect(await store.acquire([claimRequest('k')])).toEqual([{ status: 'duplicate' }]);
    expect(await store.acquire([claimRequest('k')])).toEqual([{ status: 'duplicate' }]);
    expect(await store.acquire([claimRequest('k')])).toEqual([undefined]);
    expect(asked).toBe(3);
  });

  it('spares a redelivered batch every request', async () => {
    const clock: ManualClock = manualClock();
    const { counted: store, requests } = counting(memoryStore({ clock }));
    const runs: string[] = [];
    const handler: RecordHandler = async ({ id }) => void runs.push(id);
    const processor = createBatchProcessor(handler, {
      store: cached(store, { max: 100, clock }),
      namespace: randomUUID(),
      clock,
      observer: { onEvent: () => undefined },
    });
    const event = sqsEvent(Array.from({ length: 10 }, (_, index) => ({ messageId: `m${index}`, body: {} })));
    const context = lambdaContext({ clock });
    expect(await processor(event, context)).toEqual({ batchItemFailures: [] });
    requests.length = 0;
    expect(await processor(event, context)).toEqual({ batchItemFailures: [] });
    expect(requests).toEqual([]);
    expect(runs).toHaveLength(10);
  });
});

function openInMemory(onCommit?: (items: readonly unknown[]) => Error | undefined) {
  const clock = manualClock();
  const memory = memoryStore({ clock, ...(onCommit !== undefined && { onCommit }) });
  const { counted, requests } = counting(memory);
  return { clock, requests, store: cached(counted, { max: 10, clock }), key: randomUUID() };
}

async function complete(store: ClaimStore, key: string, result?: string, members = {}): Promise<void> {
  const request = claimRequest(key, members);
  expect(await store.acquire([request])).toMatchObject([{ status: 'acquired' }]);
  expect(await store.settle([completion(request, result)])).toEqual(['stored']);
}

/** The store, and for how many keys each of its calls was asked. */
function counting(store: ClaimStore): { counted: ClaimStore; requests: number[] } {
  const requests: number[] = [];
  const counted: ClaimStore = {
    ...store,
    acquire(all, options) {
      requests.push(all.length);
      return store.acquire(all, options);
    },
  };
  return { counted, requests };
}

import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ClaimStore, createBatchProcessor } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { powertoolsAttributes } from 'batchlatch/powertools';
import { type ManualClock, manualClock, sqsEvent } from 'batchlatch/testing';
import { byOthers, claimRequests, completion, LEASE_MS, settlementOf } from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { failStatements, type SentRequest, watchRequests } from '../support/sdk-traffic.ts';

const table = emulatedTable('dynoxide');
let clock: ManualClock;
let store: ClaimStore;
let sent: SentRequest[];

/** What was sent since the last time, as counts by operation. */
function requests(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { operation } of sent.splice(0)) counts[operation] = (counts[operation] ?? 0) + 1;
  return counts;
}

function open(writes: 'batch' | 'single'): void {
  clock = manualClock();
  const client = table.newClient();
  sent = watchRequests(client);
  store = dynamoDBStore({ client, tableName: table.tableName, writes, clock });
}

describe('with batch writes', () => {
  beforeEach(() => open('batch'));

  it.each([
    [1, 1],
    [25, 1],
    [26, 2],
    [60, 3],
  ])('%d first deliveries take %d request(s), and as many to settle', async (records, expected) => {
    const first = claimRequests(records);
    await store.acquire(first);
    expect(requests()).toEqual({ BatchExecuteStatement: expected });
    await store.extend(first);
    expect(requests()).toEqual({ BatchExecuteStatement: expected });
    await store.settle(first.map((request) => completion(request)));
    expect(requests()).toEqual({ BatchExecuteStatement: expected });
  });

  it('25 redeliveries of what is done take one read and no write', async () => {
    const first = claimRequests(25);
    await store.acquire(first);
    await store.settle(first.map((request) => completion(request)));
    requests();
    await store.acquire(byOthers(first, { isRedelivery: true }));
    expect(requests()).toEqual({ BatchGetItem: 1 });
  });

  it('100 redeliveries take one read too', async () => {
    const first = claimRequests(100);
    await store.acquire(first);
    requests();
    await store.acquire(byOthers(first, { isRedelivery: true }));
    expect(requests()).toEqual({ BatchGetItem: 1 });
  });

  it('25 redeliveries of what failed, or whose lease has lapsed, take one read and one write', async () => {
    const first = claimRequests(25);
    await store.acquire(first);
    await store.settle(first.slice(12).map((request) => settlementOf('fail', request)));
    await clock.advance(LEASE_MS);
    requests();
    await store.acquire(byOthers(first, { isRedelivery: true }));
    expect(requests()).toEqual({ BatchGetItem: 1, BatchExecuteStatement: 1 });
  });

  it('25 redeliveries without a row take one read and one write', async () => {
    await store.acquire(claimRequests(25, { isRedelivery: true }));
    expect(requests()).toEqual({ BatchGetItem: 1, BatchExecuteStatement: 1 });
  });

  it('unexpected duplicates take one write and one read, for all of them together', async () => {
    const first = claimRequests(25);
    await store.acquire(first);
    requests();
    await store.acquire(byOthers(first));
    expect(requests()).toEqual({ BatchExecuteStatement: 1, BatchGetItem: 1 });
  });

  it('rows that a refusal brings along are not read again', async () => {
    const [request, ...rest] = claimRequests(3) as [never, never, never];
    await store.acquire([request]);
    const client = table.newClient();
    sent = watchRequests(client);
    const Item = await table.rowOf((request as { key: string }).key);
    failStatements(client, ({ Parameters = [] }) =>
      Parameters[0]?.S === Item?.['id']?.S ? { Code: 'DuplicateItem', Message: 'exists', Item } : undefined,
    );
    const brought = dynamoDBStore({ client, tableName: table.tableName, clock });
    expect(await brought.acquire([...byOthers([request]), ...rest])).toMatchObject([
      { status: 'conflict' },
      { status: 'acquired' },
      { status: 'acquired' },
    ]);
    expect(requests()).toEqual({ BatchExecuteStatement: 1 });
  });

  it('settlements that are refused take one read for all of them together', async () => {
    const first = claimRequests(25);
    await store.acquire(first);
    requests();
    await store.settle(byOthers(first).map((request) => completion(request)));
    expect(requests()).toEqual({ BatchExecuteStatement: 1, BatchGetItem: 1 });
  });

  it('a batch of 25 new records takes two requests in all', async () => {
    const processor = createBatchProcessor(() => 'done', {
      store,
      clock,
      concurrency: 25,
      observer: { onEvent: () => undefined },
    });
    const messages = claimRequests(25).map(({ key }) => ({ messageId: key, body: {} }));
    expect(await processor(sqsEvent(messages))).toEqual({ batchItemFailures: [] });
    expect(requests()).toEqual({ BatchExecuteStatement: 2 });
  });

  it('25 long results take several requests, because one holds 16 MB', async () => {
    const first = claimRequests(25);
    await store.acquire(first);
    requests();
    const quotes = JSON.stringify('"'.repeat(170_000)); // in a request, each takes four bytes
    const settlements = first.map((request) => completion(request, quotes));
    expect(await store.settle(settlements)).toEqual(first.map(() => 'stored'));
    expect(requests()).toEqual({ BatchExecuteStatement: 5 });
  });

  it('so do 25 long results that are stored as documents', async () => {
    const client = table.newClient();
    sent = watchRequests(client);
    store = dynamoDBStore({ client, tableName: table.tableName, attributes: powertoolsAttributes, clock });
    const first = claimRequests(25);
    await store.acquire(first);
    requests();
    const document = JSON.stringify({ quotes: '"'.repeat(115_000) });
    const settlements = first.map((request) => completion(request, document));
    expect(await store.settle(settlements)).toEqual(first.map(() => 'stored'));
    expect(requests()).toEqual({ BatchExecuteStatement: 4 });
  });

  it('nothing takes no request', async () => {
    await Promise.all([store.acquire([]), store.settle([]), store.extend([])]);
    expect(requests()).toEqual({});
  });
});

describe('with single writes', () => {
  beforeEach(() => open('single'));

  it('each first delivery takes a PutItem, and each settlement and extension an UpdateItem', async () => {
    const first = claimRequests(26);
    await store.acquire(first);
    expect(requests()).toEqual({ PutItem: 26 });
    await store.extend(first);
    expect(requests()).toEqual({ UpdateItem: 26 });
    await store.settle(first.map((request) => completion(request)));
    expect(requests()).toEqual({ UpdateItem: 26 });
  });

  it('duplicates take nothing more than the write that is refused, where the refusal brings the row along', async () => {
    const first = claimRequests(5);
    await store.acquire(first);
    requests();
    await store.acquire(byOthers(first));
    expect(requests()).toEqual({ PutItem: 5 });
    await store.settle(byOthers(first).map((request) => completion(request)));
    expect(requests()).toEqual({ UpdateItem: 5 });
  });

  it('redeliveries are read first, and written where they may run', async () => {
    const first = claimRequests(5);
    await store.acquire(first);
    await clock.advance(LEASE_MS);
    requests();
    await store.acquire(byOthers(first, { isRedelivery: true }));
    expect(requests()).toEqual({ GetItem: 5, UpdateItem: 5 });
  });
});

it.each(['single', 'batch'] as const)('sends at most 50 requests at a time (%s writes)', async (writes) => {
  let open = 0;
  let most = 0;
  const send = async (): Promise<object> => {
    most = Math.max(most, (open += 1));
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    return { Responses: Array.from({ length: 25 }, () => ({})) };
  };
  const many = dynamoDBStore({ client: { send } as never, tableName: table.tableName, writes });
  const outcomes = await many.acquire(claimRequests(writes === 'single' ? 120 : 3_000));
  expect(outcomes.every(({ status }) => status === 'acquired')).toBe(true);
  expect(most).toBe(50);
});

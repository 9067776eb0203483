import { inDynamoDB } from '../support/store-and-admin.ts';
import type { MemoryStore } from 'batchlatch/memory';
import { randomUUID } from 'node:crypto';
import { type AttributeValue, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { Claim, ClaimRequest, Completion } from 'batchlatch';
import {
  claimsTableDefinition,
  type DynamoDBStoreOptions,
  type OverdueIndexOptions,
} from 'batchlatch/dynamodb';
import { type ClaimOperation, type OperationKind } from 'batchlatch/operations';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import { transactEffect } from '../../src/stores/dynamodb/commit.ts';
import {
  claimRequest,
  claimRequests,
  completion,
  LEASE_MS,
  settlementOf,
} from '../support/claim-builders.ts';
import { LEASE_ATTRIBUTES } from '../support/claims-table.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { failCalls, loseAnswers, type SentRequest, watchRequests } from '../support/sdk-traffic.ts';

const table = emulatedTable('dynoxide', { leaseUntil: LEASE_ATTRIBUTES.own });

interface Opened {
  readonly clock: ManualClock;
  readonly store: MemoryStore;
  readonly sent: SentRequest[];
}

function open(options: Partial<DynamoDBStoreOptions> = {}): Opened {
  const clock = manualClock();
  const client = table.newClient();
  const sent = watchRequests(client);
  const { tableName } = table;
  const store = inDynamoDB({ client, tableName, clock, random: () => 0, overdueIndex: true, ...options });
  return { clock, store, sent };
}

async function shardOf(key: string): Promise<unknown> {
  return (await table.rowOf(key))?.['overdueShard'];
}

function change(
  operation: OperationKind,
  claim: Claim,
  members: Partial<ClaimOperation> = {},
): ClaimOperation {
  const { key, status, owner, attempt } = claim;
  return {
    operation,
    key,
    seen: { status, owner, attempt },
    owner: randomUUID(),
    operator: 'pat',
    reason: 'fixed',
    retentionMs: 3_600_000,
    ...members,
  };
}

async function operate(store: MemoryStore, kind: OperationKind, key: string): Promise<unknown> {
  const [outcome] = await store.change([change(kind, (await store.inspect(key)) as Claim, { force: true })]);
  return outcome?.status;
}

const inProgress = { S: expect.stringMatching(/^IN_PROGRESS#[0-7]$/) };
const parked = { S: expect.stringMatching(/^PARKED#[0-7]$/) };

describe.each(['batch', 'single'] as const)('A row of a table with the index, with %s writes', (writes) => {
  it('has its shard from its first claim on, and in every attempt', async () => {
    const { store, clock } = open({ writes });
    const key = randomUUID();
    await store.acquire([claimRequest(key)]);
    expect(await shardOf(key)).toEqual(inProgress);
    const first = await shardOf(key);
    await clock.advance(LEASE_MS);
    const second = claimRequest(key);
    await store.acquire([second]);
    expect(await shardOf(key)).toEqual(first);
    await store.settle([settlementOf('fail', second)]);
    expect(await table.rowOf(key)).not.toHaveProperty('overdueShard');
    await store.acquire([claimRequest(key)]);
    expect(await shardOf(key)).toEqual(first);
  });

  it.each(['complete', 'fail', 'release'] as const)(
    'leaves the index when the claim ends: %s',
    async (end) => {
      const { store } = open({ writes });
      const request = claimRequest(randomUUID());
      await store.acquire([request]);
      await store.settle([settlementOf(end, request)]);
      // Not NULL either, which no index key can be.
      expect(await table.rowOf(request.key)).not.toHaveProperty('overdueShard');
    },
  );

  it('has its shard also where the store reads no index', async () => {
    const { store } = open({ writes, overdueIndex: false });
    const request = claimRequest(randomUUID());
    await store.acquire([request]);
    expect(await shardOf(request.key)).toEqual(inProgress);
    await store.settle([settlementOf('park', request)]);
    expect(await shardOf(request.key)).toEqual(parked);
  });

  it('gets its shard with its next attempt where an earlier version wrote it without', async () => {
    const { store, clock } = open({ writes });
    const key = randomUUID();
    await store.acquire([claimRequest(key, { lockedBy: 'old', recordId: 'r-1', recordsStart: true })]);
    const { overdueShard: _shard, ...old } = (await table.rowOf(key)) ?? {};
    await table.putRow(old);
    await clock.advance(LEASE_MS);
    const second = claimRequest(key);
    expect(await store.acquire([second])).toMatchObject([{ status: 'acquired', tookOver: true }]);
    expect(await shardOf(key)).toEqual(inProgress);
  });

  it('leaves it with a commit', async () => {
    const { store } = open({ writes });
    const request = claimRequest(randomUUID());
    await store.acquire([request]);
    const put = { Put: { TableName: table.tableName, Item: { id: `effect-${request.key}` } } };
    const commit = store.commit as NonNullable<MemoryStore['commit']>;
    expect(await commit(completion(request) as Completion, transactEffect([put]))).toBe('stored');
    expect(await table.rowOf(request.key)).not.toHaveProperty('overdueShard');
  });

  it('moves to the shard of parked claims, of the same number', async () => {
    const { store } = open({ writes });
    const request = claimRequest(randomUUID());
    await store.acquire([request]);
    const before = (await shardOf(request.key)) as { readonly S: string };
    await store.settle([settlementOf('park', request)]);
    expect(await shardOf(request.key)).toEqual(parked);
    expect(await shardOf(request.key)).toEqual({ S: before.S.replace('IN_PROGRESS', 'PARKED') });
  });

  it.each(['release', 'resolve'] as const)(
    'leaves it, and all else that is over, with a %s',
    async (kind) => {
      const { store, clock } = open({ writes });
      const request = claimRequest(randomUUID(), { recordsStart: true });
      await store.acquire([request]);
      await store.settle([settlementOf('park', request)]);
      await clock.advance(1_000);
      expect(await operate(store, kind, request.key)).toBe('done');
      const row = await table.rowOf(request.key);
      for (const name of ['overdueShard', 'error', 'started']) expect(row).not.toHaveProperty(name);
    },
  );
});

describe('Claims that are found by the index', () => {
  async function keysOf(store: MemoryStore, query: Parameters<MemoryStore['list']>[0]): Promise<string[]> {
    const keys: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.list({ ...query, ...(cursor !== undefined && { cursor }) });
      expect(page.readBy).toBe('index');
      keys.push(...page.claims.map(({ key }) => key));
      cursor = page.next;
    } while (cursor !== undefined);
    return keys.toSorted();
  }

  it('take queries and a read of their rows, and no scan', async () => {
    const { store, sent } = open({ overdueIndex: { shards: 2 } });
    const requests = claimRequests(3);
    await store.acquire(requests);
    sent.length = 0;
    await store.list({ state: 'in-progress', keyPrefix: requests[0]?.key ?? '' });
    expect(new Set(sent.map(({ operation }) => operation))).toEqual(new Set(['Query', 'BatchGetItem']));
    expect(sent[0]?.input).toMatchObject({ IndexName: 'overdue', ReturnConsumedCapacity: 'TOTAL' });
    expect(sent.at(-1)?.input).toMatchObject({
      RequestItems: { [table.tableName]: { ConsistentRead: true } },
    });
    sent.length = 0;
    await store.count({ state: 'parked' });
    expect(sent.map(({ operation }) => operation)).toEqual(['Query', 'Query']);
  });

  it('are judged by what their rows are by now', async () => {
    const { store, clock } = open();
    const requests = claimRequests(3);
    const [done, poison, late] = requests as [ClaimRequest, ClaimRequest, ClaimRequest];
    const keyPrefix = done.key.split('#')[0] as string;
    await store.acquire(requests);
    await clock.advance(LEASE_MS);
    expect(await keysOf(store, { state: 'overdue', keyPrefix })).toHaveLength(3);
    // As versions leave rows that knew nothing of the index.
    for (const request of [done, poison]) {
      const shard = (await table.rowOf(request.key))?.['overdueShard'];
      await store.settle([settlementOf(request === done ? 'complete' : 'park', request)]);
      await table.putRow({ ...(await table.rowOf(request.key)), overdueShard: shard as AttributeValue });
    }
    expect(await keysOf(store, { state: 'overdue', keyPrefix })).toEqual([late.key]);
  });

  it('are moved by people also where their store reads no index', async () => {
    const { store } = open();
    const scanning = open({ overdueIndex: false });
    const [one, other] = claimRequests(2) as [ClaimRequest, ClaimRequest];
    await store.acquire([one, other]);
    expect(await operate(scanning.store, 'park', one.key)).toBe('done');
    expect(await shardOf(one.key)).toEqual(parked);
    expect(await operate(scanning.store, 'release', other.key)).toBe('done');
    expect(await table.rowOf(other.key)).not.toHaveProperty('overdueShard');
  });

  it('are the same on every page, whatever time passes between the pages', async () => {
    const { store, clock } = open({ overdueIndex: { shards: 1 } });
    const requests = claimRequests(6);
    const keyPrefix = requests[0]?.key.split('#')[0] ?? '';
    await store.acquire(requests);
    const first = await store.list({ state: 'in-progress', keyPrefix, limit: 2 });
    expect(first.next).toBeDefined();
    await clock.advance(LEASE_MS + 1);
    // None of them is in progress any more; the query still goes on from where it was.
    const next = await store.list({
      state: 'in-progress',
      keyPrefix,
      limit: 2,
      cursor: first.next as string,
    });
    expect(next.claims).toEqual([]);
  });

  it('include none of a row that is no claim, and say so', async () => {
    const { store } = open();
    const key = `${randomUUID()}#broken`;
    await table.putRow({ id: { S: key }, overdueShard: { S: 'PARKED#3' }, leaseUntil: { N: '5' } });
    const request = claimRequest(`${key.slice(0, 36)}#fine`);
    await store.acquire([request]);
    await store.settle([settlementOf('park', request)]);
    const keyPrefix = key.slice(0, 36);
    const page = await store.list({ state: 'parked', keyPrefix });
    expect(page).toMatchObject({ claims: [{ key: request.key }], unreadable: 1 });
    expect(await store.list({ keyPrefix })).toMatchObject({ readBy: 'scan', unreadable: 1 });
    await table.deleteRow(key);
  });

  it('are an error where the index that was named is missing', async () => {
    const { store } = open({ overdueIndex: { name: 'other' } });
    await expect(store.list({ state: 'parked' })).rejects.toMatchObject({
      code: 'BATCHLATCH_STORE',
      isRetryable: false,
      message: expect.stringContaining('has no index `other` that can be read. Add it'),
    });
  });

  it('are not read on where a cursor names what the index has not', async () => {
    const { store } = open();
    await store.acquire(claimRequests(4));
    const { next = '' } = await store.list({ state: 'in-progress', limit: 1 });
    const parts = JSON.parse(Buffer.from(next, 'base64url').toString()) as [number, string, string, object];
    const shards = (value: unknown): string =>
      Buffer.from(JSON.stringify([...parts.slice(0, 3), { at: 1, shards: value }])).toString('base64url');
    for (const cursor of [
      shards([]),
      shards([[8, null]]),
      shards([[-1, null]]),
      shards([[0, { id: { S: 'x' } }]]),
      shards([[0, { id: { S: 'x' }, overdueShard: { S: 'x' }, leaseUntil: { NS: ['1'] } }]]),
      shards([['0', null]]),
      shards('0'),
    ]) {
      await expect(store.list({ state: 'in-progress', cursor })).rejects.toMatchObject({
        code: 'BATCHLATCH_CONFIGURATION',
      });
    }
  });

  it('are spread over all shards', async () => {
    const { store } = open({ overdueIndex: { shards: 4 } });
    const requests = claimRequests(100);
    await store.acquire(requests);
    const shards = await Promise.all(requests.map(({ key }) => shardOf(key)));
    const counts = new Map<string, number>();
    for (const shard of shards as { readonly S: string }[])
      counts.set(shard.S, (counts.get(shard.S) ?? 0) + 1);
    expect([...counts.keys()].toSorted()).toEqual([0, 1, 2, 3].map((shard) => `IN_PROGRESS#${shard}`));
    expect(Math.min(...counts.values())).toBeGreaterThan(10);
  });
});

describe('A change that a person sends', () => {
  it('forgets a claim once, also where the answer is lost and the SDK sends it again', async () => {
    const { store } = open();
    const request = claimRequest(randomUUID());
    await store.acquire([request]);
    await store.settle([settlementOf('park', request)]);
    const claim = (await store.inspect(request.key)) as Claim;

    const client = table.newClient();
    let deletes = 0;
    loseAnswers(client, (_nth, operation) => operation === 'DeleteItem' && (deletes += 1) === 1);
    const shaky = inDynamoDB({ client, tableName: table.tableName, clock: manualClock() });
    expect(await shaky.change([change('forget', claim)])).toEqual([{ status: 'done' }]);
    expect(deletes).toBe(2);
    expect(await store.change([change('forget', claim)])).toEqual([{ status: 'refused', why: 'absent' }]);
  });

  it('is an error of its own where one of many cannot be written', async () => {
    const { store } = open();
    const requests = claimRequests(3);
    await store.acquire(requests);
    await store.settle(requests.map((request) => settlementOf('park', request)));
    const claims = await Promise.all(requests.map(({ key }) => store.inspect(key)));
    const client = table.newClient();
    failCalls(client, (operation, input) =>
      operation === 'UpdateItem' && JSON.stringify(input).includes(requests[1]?.key ?? '')
        ? Object.assign(new Error('no'), { name: 'AccessDeniedException' })
        : undefined,
    );
    const refused = inDynamoDB({ client, tableName: table.tableName, clock: manualClock() });
    expect(await refused.change(claims.map((claim) => change('release', claim as Claim)))).toMatchObject([
      { status: 'done' },
      { status: 'error', error: { code: 'BATCHLATCH_ACCESS_DENIED' } },
      { status: 'done' },
    ]);
  });

  it('is refused for a row that is no claim', async () => {
    const { store } = open();
    const request = claimRequest(randomUUID());
    await store.acquire([request]);
    const claim = (await store.inspect(request.key)) as Claim;
    await table.putRow({ id: { S: request.key }, something: { S: 'else' } });
    expect(await store.change([change('forget', claim, { force: true })])).toMatchObject([
      { status: 'error', error: { code: 'BATCHLATCH_NOT_A_CLAIM' } },
    ]);
  });
});

describe('A table without the index', () => {
  const bare = emulatedTable('dynoxide');
  const openBare = (options: Partial<DynamoDBStoreOptions> = {}): Opened =>
    open({ client: bare.newClient(), tableName: bare.tableName, ...options });

  it('is scanned for every state, page by page, and each page says which index is missing', async () => {
    const { store, clock } = openBare();
    const requests = claimRequests(5);
    await store.acquire(requests);
    const keys: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.list({
        state: 'in-progress',
        limit: 2,
        ...(cursor !== undefined && { cursor }),
      });
      expect(page).toMatchObject({ readBy: 'scan', missingIndex: 'overdue' });
      keys.push(...page.claims.map(({ key }) => key));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(keys.toSorted()).toEqual(requests.map(({ key }) => key).toSorted());
    expect(await store.count({ state: 'in-progress' })).toMatchObject({
      count: 5,
      readBy: 'scan',
      missingIndex: 'overdue',
    });
    await clock.advance(LEASE_MS);
    expect(await store.count({ state: 'overdue' })).toMatchObject({ count: 5, missingIndex: 'overdue' });
    // No index has these.
    expect(await store.list({ state: 'failed' })).not.toHaveProperty('missingIndex');
    expect(await store.list({})).not.toHaveProperty('missingIndex');
  });

  it('is scanned without a word about an index where none is to be read', async () => {
    const { store } = openBare({ overdueIndex: false });
    const page = await store.list({ state: 'parked' });
    expect(page.readBy).toBe('scan');
    expect(page).not.toHaveProperty('missingIndex');
  });

  it('is not scanned where the policy refuses the index: the error says what to do', async () => {
    const client = bare.newClient();
    failCalls(client, (operation) =>
      operation === 'Query'
        ? Object.assign(new Error('not authorized to perform: dynamodb:Query'), {
            name: 'AccessDeniedException',
          })
        : undefined,
    );
    await expect(openBare({ client }).store.list({ state: 'parked' })).rejects.toMatchObject({
      code: 'BATCHLATCH_ACCESS_DENIED',
      message: expect.stringMatching(/dynamodb:Query on the index `overdue`.*--index none/),
    });
  });

  it('has rows that are 25 bytes longer in progress, 20 parked, and no longer once they are settled', async () => {
    const { store } = openBare();
    const request = claimRequest(randomUUID());
    // DynamoDB counts names and values: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
    const bytes = async (): Promise<number> => {
      const shard = (await bare.rowOf(request.key))?.['overdueShard']?.S;
      return shard === undefined ? 0 : 'overdueShard'.length + shard.length;
    };
    await store.acquire([request]);
    expect(await bytes()).toBe(25);
    await store.settle([settlementOf('park', request)]);
    expect(await bytes()).toBe(20);
    expect(await operate(store, 'release', request.key)).toBe('done');
    expect(await bytes()).toBe(0);
  });
});

describe('The index', () => {
  it.each<[boolean | OverdueIndexOptions | undefined, string | undefined]>([
    [undefined, undefined],
    [false, undefined],
    [true, 'overdue'],
    [{ name: 'by-lease', shards: 2 }, 'by-lease'],
  ])('is part of the table that is defined: %p', (overdueIndex, name) => {
    const { table: made } = claimsTableDefinition(
      'claims',
      {},
      overdueIndex === undefined ? {} : { overdueIndex },
    );
    const indexes = made.GlobalSecondaryIndexes;
    expect(indexes?.map(({ IndexName }) => IndexName)).toEqual(name && [name]);
    expect(made.AttributeDefinitions).toHaveLength(name === undefined ? 1 : 3);
  });

  it('has attributes of its own', () => {
    const attributes = { lockedBy: 'overdueShard' };
    for (const overdueIndex of [true, false]) {
      expect(() => inDynamoDB({ tableName: 'claims', attributes, overdueIndex })).toThrow(
        /`overdueShard` is the index's own/,
      );
    }
    expect(() => claimsTableDefinition('claims', {}, { index: true } as never)).toThrow(
      /Unknown option `index`/,
    );
  });

  it('keeps what a writer of another kind completed out of the lists', async () => {
    const { store } = open();
    const request = claimRequest(randomUUID());
    await store.acquire([request]);
    await table.newClient().send(
      new UpdateItemCommand({
        TableName: table.tableName,
        Key: { id: { S: request.key } },
        UpdateExpression: 'SET #s = :s',
        ExpressionAttributeNames: { '#s': 'status' },
        ExpressionAttributeValues: { ':s': { S: 'COMPLETED' } },
      }),
    );
    expect(await store.list({ state: 'in-progress', keyPrefix: request.key })).toMatchObject({ claims: [] });
  });
});

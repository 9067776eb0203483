import { inDynamoDB } from '../support/store-and-admin.ts';
import type { MemoryStore } from 'batchlatch/memory';
import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  CreateTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Claim, ClaimRequest } from 'batchlatch';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { eachClaim } from 'batchlatch/operations';
import { powertoolsAttributesNamed } from 'batchlatch/powertools';
import { manualClock } from 'batchlatch/testing';
import { claimRequest, claimRequests, completion, settlementOf } from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { type SentRequest, watchRequests } from '../support/sdk-traffic.ts';

type Row = Record<string, AttributeValue>;

const table = emulatedTable('dynoxide');

async function keysOf(store: MemoryStore, state?: 'in-progress' | 'parked' | 'completed'): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of eachClaim(store, state === undefined ? {} : { state })) keys.push(key);
  return keys.toSorted();
}

describe('A table with a sort key, which functions share', () => {
  let client: DynamoDBClient;
  let tableName: string;

  beforeAll(async () => {
    client = table.newClient();
    tableName = `claims-${randomUUID()}`;
    const { table: plain } = claimsTableDefinition(
      tableName,
      { leaseUntil: 'in_progress_expiration' },
      { overdueIndex: true },
    );
    await client.send(
      new CreateTableCommand({
        ...plain,
        AttributeDefinitions: [
          ...(plain.AttributeDefinitions ?? []),
          { AttributeName: 'sk', AttributeType: 'S' },
        ],
        KeySchema: [...(plain.KeySchema ?? []), { AttributeName: 'sk', KeyType: 'RANGE' }],
      }),
    );
  });

  function storeOf(staticPkValue: string, overdueIndex: boolean): MemoryStore {
    const attributes = powertoolsAttributesNamed({ sortKeyAttr: 'sk', staticPkValue });
    return inDynamoDB({ client, tableName, attributes, overdueIndex, clock: manualClock() });
  }

  it.each([true, false])('shows the claims of its own partition alone (index: %s)', async (overdueIndex) => {
    const mine = storeOf(`mine-${overdueIndex}`, overdueIndex);
    const theirs = storeOf(`theirs-${overdueIndex}`, overdueIndex);
    const [a, b, c] = [claimRequest('a'), claimRequest('b'), claimRequest('c')];
    await mine.acquire([a, b, c]);
    await mine.settle([settlementOf('park', b), completion(c)]);
    await theirs.acquire([claimRequest('a'), claimRequest('d')]);
    expect(await keysOf(mine, 'in-progress')).toEqual(['a']);
    expect(await keysOf(mine, 'parked')).toEqual(['b']);
    expect(await keysOf(mine)).toEqual(['a', 'b', 'c']);
    expect(await keysOf(theirs, 'in-progress')).toEqual(['a', 'd']);
    expect((await mine.count({ state: 'in-progress' })).count).toBe(1);
    expect((await mine.count({ state: 'parked' })).count).toBe(1);
  });
});

describe('A scan', () => {
  it('reads only so many rows for a page, and more of them where few match', async () => {
    const client = table.newClient();
    const clock = manualClock();
    const { tableName } = table;
    const store = inDynamoDB({ client, tableName, clock, overdueIndex: false });
    const requests = claimRequests(150);
    await store.acquire(requests);
    await store.settle(requests.slice(0, 140).map((request) => completion(request)));
    const sent: SentRequest[] = watchRequests(client);
    const page = await store.list({ limit: 20 });
    expect(page).toMatchObject({ readBy: 'scan', rowsRead: 20, readUnits: expect.any(Number) });
    expect(sent.map(({ operation }) => operation)).toEqual(['Scan']);
    expect(sent[0]?.input).toMatchObject({ Limit: 20, ConsistentRead: true });

    sent.length = 0;
    expect(await keysOf(store, 'in-progress')).toEqual(
      requests
        .slice(140)
        .map(({ key }) => key)
        .toSorted(),
    );
    expect(sent.length).toBeLessThan(6);
    sent.length = 0;
    const few = await store.list({ state: 'completed', limit: 3 });
    expect(few.claims).toHaveLength(3);
    expect(few.next).toBeDefined();
  });

  it('gives nothing twice and leaves nothing out where a request finds more than there is room for', async () => {
    const store = inDynamoDB({
      client: table.newClient(),
      tableName: table.tableName,
      clock: manualClock(),
    });
    const prefix = randomUUID();
    const requests = Array.from({ length: 40 }, (_, index) => claimRequest(`${prefix}#${index}`));
    await store.acquire(requests);
    for (const limit of [1, 3, 39]) {
      const keys: string[] = [];
      for await (const { key } of eachClaim(store, { keyPrefix: prefix, limit })) keys.push(key);
      expect(keys.toSorted()).toEqual(requests.map(({ key }) => key).toSorted());
    }
  });
});

describe('The index of a table that exists', () => {
  it('can be added while claims are in it, and has them', async () => {
    const { store, request } = await tableWithIndexAddedLate((row) => row);
    expect(await keysOf(store, 'parked')).toEqual([request.key]);
  });

  it('lacks what versions parked that knew nothing of it: a scan finds it, and parking it again brings it in', async () => {
    const { store, scanning, request } = await tableWithIndexAddedLate(
      ({ overdueShard: _shard, ...row }) => row,
    );
    expect(await keysOf(store, 'parked')).toEqual([]);
    const { claims } = await scanning.list({ state: 'parked' });
    expect(claims.map(({ key }) => key)).toEqual([request.key]);
    const { key, status, owner, attempt } = claims[0] as Claim;
    const change = {
      operation: 'park',
      key,
      seen: { status, owner, attempt },
      owner: 'of-the-change',
    } as const;
    await scanning.change([{ ...change, operator: 'pat', reason: 'into the index', retentionMs: 1_000 }]);
    expect(await keysOf(store, 'parked')).toEqual([key]);
  });

  /** A table with one parked claim, whose row becomes as it is told to be before the index is added. */
  async function tableWithIndexAddedLate(toRow: (row: Row) => Row): Promise<{
    readonly store: MemoryStore;
    readonly scanning: MemoryStore;
    readonly request: ClaimRequest;
  }> {
    const client = table.newClient();
    const TableName = `claims-${randomUUID()}`;
    await client.send(new CreateTableCommand(claimsTableDefinition(TableName).table));
    const options = { client, tableName: TableName, clock: manualClock() };
    const store = inDynamoDB(options);
    const scanning = inDynamoDB({ ...options, overdueIndex: false });
    const request = claimRequest(randomUUID());
    await store.acquire([request]);
    await store.settle([settlementOf('park', request)]);
    const { Item = {} } = await client.send(
      new GetItemCommand({ TableName, Key: { id: { S: request.key } } }),
    );
    await client.send(new PutItemCommand({ TableName, Item: toRow(Item) }));
    const { table: indexed } = claimsTableDefinition(TableName, {}, { overdueIndex: true });
    await client.send(
      new UpdateTableCommand({
        TableName,
        AttributeDefinitions: indexed.AttributeDefinitions,
        GlobalSecondaryIndexUpdates: indexed.GlobalSecondaryIndexes?.map((index) => ({ Create: index })),
      }),
    );
    return { store, scanning, request };
  }
});

import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DescribeTimeToLiveCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { claimsTableDefinition, dynamoDBStore, type DynamoDBStoreOptions } from 'batchlatch/dynamodb';
import { manualClock } from 'batchlatch/testing';
import { claimRequest, completion, LEASE_MS, settlementOf } from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';

describe('options that cannot work are refused at start', () => {
  it.each(['claims', 'a.b-c_D9', 'arn:aws:dynamodb:us-east-1:123456789012:table/claims'])(
    'a table may be named %s',
    (tableName) => {
      expect(() => dynamoDBStore({ tableName })).not.toThrow();
    },
  );

  it.each([
    undefined, // of a variable that is not set, say
    null,
    7,
    '',
    'ab',
    'my claims',
    'claims"',
    "claims'",
    'claims;',
    'x'.repeat(1_025),
    'таблица',
  ])('a table may not be named %p', (tableName) => {
    expect(start({ tableName: tableName as string })).toThrow(
      /Expected `tableName` to be a DynamoDB table's name or ARN/,
    );
  });

  it('writes are batch or single', () => {
    expect(start({ writes: 'bulk' as never })).toThrow(
      "dynamoDBStore: Expected `writes` to be 'batch' or 'single', got `'bulk'` (string)",
    );
  });

  it.each<[string, unknown, string]>([
    [
      'clockTolerance',
      5,
      'Unknown option `clockTolerance`; known options are tableName, client, writes, attributes, overdueIndex, clockToleranceMs',
    ],
    ['table', 'claims', 'Unknown option `table`'],
    ['client', {}, 'Expected `client` to be an object with send()'],
    ['attributes', 'id', 'Expected `attributes` to be an object'],
    ...['yes', 8, null, { name: 'a b' }, { shards: 0 }, { shards: 101 }, { shards: '8' }, { shard: 8 }].map(
      (index): [string, unknown, string] => [
        'overdueIndex',
        index,
        'Expected `overdueIndex` to be a boolean, or { name?, shards? }',
      ],
    ),
    ['clock', { now: () => 0 }, 'Expected `clock` to be an object with now(), setTimer()'],
    ['random', 0.5, 'Expected `random` to be a function'],
  ])('an option that is unknown or impossible: %s', (option, value, message) => {
    expect(start({ [option]: value })).toThrow(`dynamoDBStore: ${message}`);
  });

  it.each([-1, 0.5, Number.NaN, '30000', null])('a tolerance of %p is none', (clockToleranceMs) => {
    expect(start({ clockToleranceMs: clockToleranceMs as number })).toThrow(
      /Expected `clockToleranceMs` to be an integer from 0 up/,
    );
  });

  it.each(['', 'a b', 'a"b', "a'b", 'a-b', 'a.b', 'ä', 'x'.repeat(256), 7, undefined])(
    'an attribute may not be named %p',
    (status) => {
      expect(start({ attributes: { status } as never })).toThrow(
        /Expected attribute `status` to be named with letters, digits and _/,
      );
    },
  );

  it('attributes that there are not, and two of one name, are refused', () => {
    expect(start({ attributes: { state: 'state' } as never })).toThrow(
      /Unknown attribute `state`; known: key, status,/,
    );
    expect(start({ attributes: { constructor: 'x' } as never })).toThrow(/Unknown attribute `constructor`/);
    expect(start({ attributes: { status: 'owner' } })).toThrow(/Two attributes are named `owner`/);
    expect(start({ attributes: { status: 'owner', owner: 'status' } })).not.toThrow();
  });

  function start(options: Partial<DynamoDBStoreOptions>): () => unknown {
    return () => dynamoDBStore({ tableName: 'claims', ...options });
  }
});

describe.each(['batch', 'single'] as const)('names of attributes, with %s writes', (writes) => {
  const table = emulatedTable('dynoxide');
  // Reserved words of DynamoDB and of PartiQL among them.
  const attributes = {
    key: 'PK',
    status: 'state',
    owner: 'user',
    attempt: 'count',
    releases: 'returns',
    crashes: 'exit',
    leaseUntil: 'lock',
    expiresAt: 'ttl',
    createdAt: 'date',
    updatedAt: 'timestamp',
    completedAt: 'end',
    lockedBy: 'by',
    payloadHash: 'hash',
    result: 'value',
    error: 'select',
  } as const;

  it('can be chosen, every one of them', async () => {
    const clock = manualClock();
    const client = table.newClient();
    const tableName = `claims-${randomUUID()}`;
    const definition = claimsTableDefinition(tableName, attributes);
    await client.send(new CreateTableCommand(definition.table));
    const store = dynamoDBStore({ client, tableName, writes, clock, attributes });
    const request = (members = {}) =>
      claimRequest('k', { lockedBy: 'somebody', payloadHash: 'a', ...members });

    await store.acquire([request({ owner: 'first' })]);
    await store.settle([settlementOf('fail', { key: 'k', owner: 'first' })]);
    await store.acquire([request({ owner: 'second' })]);
    await clock.advance(LEASE_MS);
    expect(await store.acquire([request({ owner: 'third' })])).toMatchObject([
      { status: 'acquired', attempt: 3, tookOver: true },
    ]);
    expect(await store.extend([request({ owner: 'third' })])).toEqual(['stored']);
    expect(await store.settle([completion({ key: 'k', owner: 'third' }, '7')])).toEqual(['stored']);
    expect(await store.settle([completion({ key: 'k', owner: 'first' }, '7')])).toEqual(['lost']);
    expect(await store.acquire([request({ payloadHash: 'b', isRedelivery: true })])).toEqual([
      { status: 'mismatch' },
    ]);
    expect(await store.acquire([request()])).toMatchObject([{ status: 'duplicate', result: '7' }]);
    expect(await store.inspect('k')).toMatchObject({ key: 'k', status: 'COMPLETED', attempt: 3 });
  });

  it('have defaults, the ones of the template', async () => {
    const store = dynamoDBStore({ client: table.newClient(), tableName: table.tableName, writes });
    const [key, owner] = [randomUUID(), randomUUID()];
    await store.acquire([claimRequest(key, { owner, lockedBy: 'somebody', payloadHash: 'a' })]);
    await store.settle([settlementOf('fail', { key, owner })]);
    expect(await table.rowOf(key)).toEqual({
      id: { S: key },
      status: { S: 'FAILED' },
      owner: { S: owner },
      attempt: { N: '1' },
      crashes: { N: '0' },
      leaseUntil: { N: expect.any(String) },
      expiresAt: { N: expect.any(String) },
      createdAt: { N: expect.any(String) },
      updatedAt: { N: expect.any(String) },
      lockedBy: { S: 'somebody' },
      payloadHash: { S: 'a' },
      error: { M: expect.anything() },
    });
  });
});

describe('the definition of the table', () => {
  const table = emulatedTable('dynoxide');

  it('makes a table that deletes by the attribute that the store writes', async () => {
    const client = table.newClient();
    const { table: create, timeToLive } = claimsTableDefinition(`claims-${randomUUID()}`, {
      expiresAt: 'ttl',
    });
    await client.send(new CreateTableCommand(create));
    await client.send(new UpdateTimeToLiveCommand(timeToLive));
    const { TimeToLiveDescription } = await client.send(
      new DescribeTimeToLiveCommand({ TableName: create.TableName }),
    );
    expect(TimeToLiveDescription).toMatchObject({ AttributeName: 'ttl', TimeToLiveStatus: 'ENABLED' });
  });
});

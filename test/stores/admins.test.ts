import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { resultsIn } from 'batchlatch';
import { dynamoDBAdmin, dynamoDBStore } from 'batchlatch/dynamodb';
import { type Claim, listClaims, resolveClaim } from 'batchlatch/operations';
import { postgresAdmin } from 'batchlatch/postgres';
import { redisAdmin } from 'batchlatch/redis';
import { claimRequest } from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { memoryResultStorage } from '../support/memory-result-storage.ts';

const table = emulatedTable('dynoxide');
const BY = { operator: 'pat', reason: 'fixed' };

describe('an admin', () => {
  it('finds what the store of the same table has claimed', async () => {
    const options = { client: table.newClient(), tableName: table.tableName };
    const [store, admin] = [dynamoDBStore(options), dynamoDBAdmin(options)];
    const request = claimRequest(randomUUID());
    await store.acquire([request]);
    expect((await admin.list({ keyPrefix: request.key })).claims).toMatchObject([{ key: request.key }]);
    expect((await admin.count({ state: 'in-progress' })).count).toBeGreaterThan(0);
    expect(await admin.read(request.key)).toEqual(await store.inspect(request.key));
  });

  it('puts a long result that a person gives where the store finds it', async () => {
    const { storage, objects } = memoryResultStorage();
    const results = { ...storage, thresholdBytes: 10 };
    const options = { client: table.newClient(), tableName: table.tableName };
    const store = resultsIn(results, dynamoDBStore(options));
    const admin = dynamoDBAdmin({ ...options, results });
    const request = claimRequest(randomUUID());
    await store.acquire([request]);
    const running = (await admin.read(request.key)) as Claim;
    const result = JSON.stringify('x'.repeat(50));
    expect(await resolveClaim(admin, running, { ...BY, force: true, result })).toMatchObject({
      status: 'done',
    });
    expect([...objects.values()]).toEqual([result]);
    const again = { ...request, owner: randomUUID() };
    expect(await store.acquire([again], { wantsResults: true })).toMatchObject([
      { status: 'duplicate', result },
    ]);
  });

  it('leaves a claim as it is where its long result cannot be stored', async () => {
    const { storage } = memoryResultStorage();
    const results = {
      ...storage,
      put: () => Promise.reject(new Error('slow down')),
    };
    const options = { client: table.newClient(), tableName: table.tableName };
    const admin = dynamoDBAdmin({ ...options, results });
    const request = claimRequest(randomUUID());
    await dynamoDBStore(options).acquire([request]);
    const running = (await admin.read(request.key)) as Claim;
    const result = JSON.stringify('x'.repeat(400_000));
    expect(await resolveClaim(admin, running, { ...BY, force: true, result })).toMatchObject({
      status: 'error',
      error: { code: 'BATCHLATCH_RESULT_NOT_STORED' },
    });
    expect(await admin.read(request.key)).toEqual(running);
  });

  it('rejects its calls where nobody names the table, and not before', async () => {
    await expect(dynamoDBAdmin().list({})).rejects.toThrow('set CLAIMS_TABLE_NAME');
    await expect(listClaims(dynamoDBAdmin())).rejects.toThrow('set CLAIMS_TABLE_NAME');
  });

  it.each([
    ['dynamoDBAdmin', () => dynamoDBAdmin({ tableNme: 'claims' } as never)],
    ['postgresAdmin', () => postgresAdmin({ pool: 'postgres://db' } as never)],
    ['redisAdmin', () => redisAdmin({ client: {} } as never)],
  ])('names %s where its options cannot work', (factory, make) => {
    expect(make).toThrow(new RegExp(`^${factory}: `));
  });
});

import { describe, expect, it } from '@jest/globals';
import type { ClaimStore } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import { postgresStore } from 'batchlatch/postgres';
import { redisStore } from 'batchlatch/redis';
import { claimRequest, completion } from '../support/claim-builders.ts';

const stores: Readonly<Record<string, ClaimStore>> = {
  memory: memoryStore(),
  DynamoDB: dynamoDBStore({ tableName: 'claims' }),
  PostgreSQL: postgresStore({ pool: { connect: () => Promise.reject(new Error('unused')) } }),
  Redis: redisStore({
    client: { isOpen: true, sendCommand: () => Promise.reject(new Error('unused')) },
  }),
};

describe('What docs/stores.md says of the stores', () => {
  it('only DynamoDB and PostgreSQL complete a claim together with an effect', () => {
    const can = Object.entries(stores).filter(
      ([, store]) => store.commit !== undefined || store.transacted !== undefined,
    );
    expect(can.map(([name]) => name)).toEqual(['DynamoDB', 'PostgreSQL']);
  });

  it('memory forgets with its process: another store of it knows nothing', async () => {
    const request = claimRequest('k');
    const first = memoryStore();
    await first.acquire([request]);
    await first.settle([completion(request)]);
    expect(await memoryStore().inspect('k')).toBeUndefined();
  });

  it('memory needs no request: an outcome is there in the next microtask', async () => {
    let isThere = false;
    void memoryStore()
      .acquire([claimRequest('k')])
      .then(() => {
        isThere = true;
      });
    await Promise.resolve().then(() => undefined);
    expect(isThere).toBe(true);
  });
});

import { itself, inDynamoDB } from '../support/store-and-admin.ts';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, it } from '@jest/globals';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { describeClaimStore } from 'batchlatch/testing';
import { effectCounters } from '../support/effect-counters.ts';
import { checkedPrefix } from './checked-prefix.ts';

const prefix = checkedPrefix();
const client = new DynamoDBClient({});
afterAll(() => client.destroy());

for (const writes of ['batch', 'single'] as const) {
  const commit = effectCounters(`${prefix}-effects`, client);
  describeClaimStore(
    {
      name: `dynamoDBStore, ${writes} writes, requests as the environment says,`,
      admin: itself,
      create: (clock) => inDynamoDB({ tableName: `${prefix}-claims`, writes, clock }),
      commit,
    },
    { describe, it },
  );
  describeClaimStore(
    {
      name: `dynamoDBStore, ${writes} writes, with the index and a client,`,
      admin: itself,
      create: (clock) =>
        inDynamoDB({ client, tableName: `${prefix}-indexed`, writes, clock, overdueIndex: true }),
      commit,
    },
    { describe, it },
  );
}

it('gives a key to exactly one of 50 that ask for it at the same time, by the clock of this machine', async () => {
  const store = dynamoDBStore({ tableName: `${prefix}-claims` });
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      store.acquire([{ key: 'raced for', owner: `owner-${index}`, leaseMs: 60_000, retentionMs: 60_000 }]),
    ),
  );
  expect(outcomes.flat().filter(({ status }) => status === 'acquired')).toHaveLength(1);
  expect(outcomes.flat().filter(({ status }) => status === 'conflict')).toHaveLength(49);
});

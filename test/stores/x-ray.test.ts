import { afterAll, describe, expect, it } from '@jest/globals';
import { DynamoDB, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import xray from 'aws-xray-sdk-core';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { claimRequests } from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';

describe("A client that AWS's X-Ray SDK captures", () => {
  const table = emulatedTable('dynoxide');
  const clients: { destroy(): void }[] = [];
  afterAll(() => clients.forEach((client) => client.destroy()));

  it.each([DynamoDBClient, DynamoDB])(
    'has a subsegment for each request of the store: %p',
    async (Client) => {
      const client = new Client({ endpoint: table.endpoint });
      clients.push(client);
      const store = dynamoDBStore({ client: xray.captureAWSv3Client(client), tableName: table.tableName });
      const segment = new xray.Segment('orders');
      await xray.getNamespace().runPromise(async () => {
        xray.setSegment(segment);
        await store.acquire(claimRequests(2));
        await store.inspect('nobody');
      });
      const made = JSON.parse(JSON.stringify(segment.subsegments ?? [])) as Subsegment[];
      expect(made.map(({ name, aws }) => `${name} ${aws.operation}`)).toEqual([
        'DynamoDB BatchExecuteStatement',
        'DynamoDB BatchGetItem',
      ]);
    },
  );
});

interface Subsegment {
  readonly name: string;
  readonly aws: { readonly operation: string };
}

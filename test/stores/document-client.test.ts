import { itself, inDynamoDB } from '../support/store-and-admin.ts';
import { randomUUID } from 'node:crypto';
import { DeleteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument, DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { dynamoDBStore, type DynamoDBStoreOptions } from 'batchlatch/dynamodb';
import { describeClaimStore } from 'batchlatch/testing';
import { claimRequest, completion } from '../support/claim-builders.ts';
import { effectCounters } from '../support/effect-counters.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { watchRequests } from '../support/sdk-traffic.ts';

/** As many have theirs: what would turn `{ S: 'a' }` into a map of a string if it were asked to. */
const translation = {
  marshallOptions: { removeUndefinedValues: true, convertClassInstanceToMap: true },
  unmarshallOptions: { wrapNumbers: true },
};

describe.each<[string, (client: DynamoDBClient) => DynamoDBStoreOptions['client'] & object]>([
  ['DynamoDBDocumentClient', (client) => DynamoDBDocumentClient.from(client, translation)],
  ['DynamoDBDocument', (client) => DynamoDBDocument.from(client, translation)],
])('dynamoDBStore with a %s', (name, documentsOf) => {
  const table = emulatedTable('dynoxide');
  const effects = effectCounters();
  let areEffectsThere: Promise<void> | undefined;

  describe.each(['batch', 'single'] as const)('and %s writes', (writes) => {
    // The other class inherits from this one; lab/real has single writes with many clients.
    if (name === 'DynamoDBDocumentClient' && writes === 'batch')
      describeClaimStore({
        name: `${name}, ${writes}`,
        async create(clock) {
          const client = table.newClient();
          await (areEffectsThere ??= effects.create(client));
          return inDynamoDB({ tableName: table.tableName, client: documentsOf(client), clock, writes });
        },
        admin: itself,
        commit: effects,
      });

    it('sends and reads the same values as with a DynamoDBClient', async () => {
      const key = randomUUID();
      const values: unknown[] = [];
      for (const wrap of [(client: DynamoDBClient) => client, documentsOf]) {
        const client = table.newClient();
        const sent = watchRequests(client);
        const store = dynamoDBStore({
          tableName: table.tableName,
          client: wrap(client),
          writes,
          clock: { now: () => 1_790_000_000_000, setTimer: () => () => undefined },
        });
        const request = { ...claimRequest(key), owner: 'o' };
        await store.acquire([request]);
        await store.settle([completion(request, '{"a":1}')]);
        const claim = await store.inspect(key);
        await client.send(new DeleteItemCommand({ TableName: table.tableName, Key: { id: { S: key } } }));
        values.push({ sent: sent.slice(0, -1).map(({ operation, input }) => [operation, input]), claim });
      }
      expect(values[1]).toEqual(values[0]);
      expect(values[0]).toMatchObject({ claim: { status: 'COMPLETED', attempt: 1, result: '{"a":1}' } });
    });
  });

  it('leaves the client as it was for its own commands', async () => {
    const documents = documentsOf(table.newClient()) as DynamoDBDocumentClient;
    const store = dynamoDBStore({ tableName: table.tableName, client: documents });
    const request = claimRequest(randomUUID());
    await store.acquire([request]);
    const Item = { id: randomUUID(), total: 3 };
    await documents.send(new PutCommand({ TableName: table.tableName, Item }));
    const read = await documents.send(
      new GetCommand({ TableName: table.tableName, Key: { id: Item.id }, ConsistentRead: true }),
    );
    expect(read.Item).toMatchObject({ id: Item.id });
    expect(String(read.Item?.['total'])).toBe('3');
  });
});

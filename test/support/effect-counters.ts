import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  GetItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { CommitItem } from 'batchlatch/dynamodb';
import { transactEffect } from '../../src/stores/dynamodb/commit.ts';
import type { CommitSubject } from 'batchlatch/testing';

/** Counters in a table of their own; made with `create`, when there is a client. */
export interface EffectCounters extends CommitSubject {
  readonly tableName: string;
  /** An item that adds one to the counter of this name. */
  readonly addOne: (name: string) => CommitItem;
  /** An item whose condition does not hold. */
  readonly refused: () => CommitItem;
  create(client: DynamoDBClient): Promise<void>;
}

/** The table of counters, but its name. */
export const EFFECTS_TABLE: Omit<CreateTableCommandInput, 'TableName'> = {
  AttributeDefinitions: [{ AttributeName: 'name', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'name', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

/** With a client and the name of a table that is there already, it need not be created. */
export function effectCounters(
  tableName: string = `effects-${randomUUID()}`,
  ofTable?: DynamoDBClient,
): EffectCounters {
  let client = ofTable as DynamoDBClient;
  const addOne = (name: string): CommitItem => ({
    Update: {
      TableName: tableName,
      Key: { name },
      UpdateExpression: 'ADD #count :one',
      ExpressionAttributeNames: { '#count': 'count' },
      ExpressionAttributeValues: { ':one': 1 },
    },
  });
  const refused = (): CommitItem => ({
    ConditionCheck: {
      TableName: tableName,
      Key: { name: 'nobody' },
      ConditionExpression: 'attribute_exists(#name)',
      ExpressionAttributeNames: { '#name': 'name' },
    },
  });
  return {
    tableName,
    async create(given) {
      client = given;
      await client.send(new CreateTableCommand({ ...EFFECTS_TABLE, TableName: tableName }));
    },
    addOne,
    refused,
    effect: (names) => transactEffect(names.map(addOne)),
    refusedEffect: (names) => transactEffect([...names.map(addOne), refused()]),
    async read(name) {
      const get = new GetItemCommand({
        TableName: tableName,
        Key: { name: { S: name } },
        ConsistentRead: true,
      });
      return Number((await client.send(get)).Item?.['count']?.N ?? 0);
    },
  };
}

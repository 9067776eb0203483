import {
  type AttributeValue,
  CreateTableCommand,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { outboxTableDefinition } from 'batchlatch/outbox';
import { dynamoDBStreamEvent } from 'batchlatch/testing';
import { z } from 'zod';
import { message } from '../../src/messages/message.ts';
import { messages } from '../../src/messages/messages.ts';

const order = z.object({ orderId: z.string(), tenantId: z.string() });

/** Messages with a group, and without. */
export const orders = messages({
  OrderPlaced: message(order, { key: ['orderId'], group: 'tenantId' }),
  MailWanted: message(z.object({ to: z.string() })),
});

/** A row of an outbox's table, or the counter of a lane. */
export type StoredRow = Record<string, AttributeValue>;

/** Creates the table. `streams`: whether the emulator has streams. */
export async function createOutboxTable(
  client: DynamoDBClient,
  tableName: string,
  { streams = false } = {},
): Promise<void> {
  const { StreamSpecification, ...table } = outboxTableDefinition(tableName).table;
  await client.send(new CreateTableCommand({ ...table, ...(streams && { StreamSpecification }) }));
}

export async function storedIn(client: DynamoDBClient, tableName: string): Promise<StoredRow[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }));
  return Items.toSorted((one, other) => ((one['position']?.S ?? '') < (other['position']?.S ?? '') ? -1 : 1));
}

/** Returns stream records of new items: of real rows, because this emulator has no streams. */
export function streamOf(items: readonly StoredRow[]): DynamoDBStreamEvent {
  return dynamoDBStreamEvent(
    items.map(({ lane, position }) => ({
      keys: { lane: lane?.S, position: position?.S },
      eventName: 'INSERT' as const,
    })),
  );
}

export function isRow(item: StoredRow): boolean {
  return item['outboxId'] !== undefined;
}

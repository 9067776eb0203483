import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import { dynamoDBOutbox, dynamoDBOutboxAdmin } from 'batchlatch/outbox';
import type { ConsoleOptions } from '../../packages/cli/src/console/options.ts';
import { emulatorClient } from './claims-table.ts';
import { placeOrders } from './emulated-outbox.ts';
import { createOutboxTable, orders } from './outbox-rows.ts';

/** Makes an outbox in which the order `o-bad` of the group `a` is parked before another, and one of this group. */
export async function parkedOutbox(
  endpoint: string,
  group: string,
): Promise<{ readonly outbox: NonNullable<ConsoleOptions['outbox']>; stop(): void }> {
  const client = emulatorClient(endpoint);
  const tableName = 'orders-outbox';
  await createOutboxTable(client, tableName);
  const documents = DynamoDBDocument.from(client);
  const table = {
    tableName,
    client,
    outboxAt: (clock) => dynamoDBOutbox({ tableName, messages: orders, client, clock }),
    transact: async (...entries) => {
      await documents.transactWrite({ TransactItems: entries as never });
    },
  } satisfies Parameters<typeof placeOrders>[0];
  const refused = ['o-bad', 'o-hostile'];
  await placeOrders(
    table,
    Date.now() - 300_000,
    { 'o-bad': 'a', 'o-next': 'a', 'o-hostile': group },
    refused,
  );
  return {
    outbox: { admin: dynamoDBOutboxAdmin({ tableName, client }), place: `outbox ${tableName}` },
    stop: () => client.destroy(),
  };
}

import { DeleteItemCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { startDynamoDBEmulator } from '../../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import { dynamoDBAdmin } from '../../../src/stores/dynamodb/dynamodb-admin.ts';
import { dynamoDBStore } from '../../../src/stores/dynamodb/dynamodb-store.ts';
import { transactEffect } from '../../../src/stores/dynamodb/commit.ts';
import { createClaimsTable, emulatorClient } from '../../../test/support/claims-table.ts';
import { BEFORE_ALL_MS } from './memory.ts';
import type { StoreAdapter } from './replayed-store.ts';

/** DynamoDB, emulated by dynoxide. Effects are items beside the claims. */
export async function dynamoDBAdapter(): Promise<StoreAdapter> {
  const service = await startDynamoDBEmulator('dynoxide');
  const client = emulatorClient(service.endpoint);
  const tableName = await createClaimsTable(client);
  const key = (id: string): { readonly id: { readonly S: string } } => ({ id: { S: id } });
  return {
    takesTolerance: true,
    create(clockToleranceMs) {
      let now = BEFORE_ALL_MS;
      const clock = { now: () => now, setTimer: systemTimer };
      const options = { client, tableName, clock, clockToleranceMs };
      const store = dynamoDBStore(options);
      return {
        store,
        admin: dynamoDBAdmin(options),
        setTime: (ms) => void (now = ms),
        commit: async (completion) => {
          if (store.commit === undefined) throw new Error('The store has no commit');
          const item = { id: `effect of ${completion.owner}` };
          return store.commit(completion, transactEffect([{ Put: { TableName: tableName, Item: item } }]));
        },
        async effectsOf(owners) {
          const items = await Promise.all(
            owners.map((owner) =>
              client.send(
                new GetItemCommand({
                  TableName: tableName,
                  Key: key(`effect of ${owner}`),
                  ConsistentRead: true,
                }),
              ),
            ),
          );
          return owners.filter((_, index) => items[index]?.Item !== undefined);
        },
        remove: async (id) => {
          await client.send(new DeleteItemCommand({ TableName: tableName, Key: key(id) }));
        },
        rowOf: (id) => {
          now = BEFORE_ALL_MS;
          return store.inspect(id);
        },
      };
    },
    async stop() {
      client.destroy();
      await service.stop();
    },
  };
}

/** Only limits of calls wait, and those are real. */
export function systemTimer(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
}

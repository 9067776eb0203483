import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll } from '@jest/globals';
import {
  type DynamoDBEmulatorKind,
  startDynamoDBEmulator,
} from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { createClaimsTable, emulatorClient } from './claims-table.ts';

/** A claims table on an emulator, for all tests of one `describe`. */
export interface EmulatedTable {
  readonly tableName: string;
  readonly endpoint: string;
  /** A client that nobody else disturbs. */
  newClient(): DynamoDBClient;
  /** The row as DynamoDB has it, looked up past the store. */
  rowOf(key: string): Promise<Record<string, AttributeValue> | undefined>;
  /** Writes a row past the store. */
  putRow(row: Record<string, AttributeValue>): Promise<void>;
  /** What the TTL does, days later. */
  deleteRow(key: string): Promise<void>;
}

export function emulatedTable(
  kind: DynamoDBEmulatorKind,
  indexed?: { readonly leaseUntil: string },
): EmulatedTable {
  let service: LocalService;
  let tableName: string;
  let ownClient: DynamoDBClient;
  const clients: DynamoDBClient[] = [];
  const newClient = (): DynamoDBClient => {
    const client = emulatorClient(service.endpoint);
    clients.push(client);
    return client;
  };
  beforeAll(async () => {
    service = await startDynamoDBEmulator(kind);
    ownClient = newClient();
    tableName = await createClaimsTable(ownClient, indexed);
  });
  afterAll(async () => {
    for (const client of clients) client.destroy();
    await service.stop();
  });
  return {
    get tableName() {
      return tableName;
    },
    get endpoint() {
      return service.endpoint;
    },
    newClient,
    async rowOf(key) {
      const get = new GetItemCommand({ TableName: tableName, Key: { id: { S: key } }, ConsistentRead: true });
      return (await ownClient.send(get)).Item;
    },
    async putRow(row) {
      await ownClient.send(new PutItemCommand({ TableName: tableName, Item: row }));
    },
    async deleteRow(key) {
      await ownClient.send(new DeleteItemCommand({ TableName: tableName, Key: { id: { S: key } } }));
    },
  };
}

import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { claimsTableDefinition } from 'batchlatch/dynamodb';

/** A client for an emulator; none of them looks at the credentials. */
export function emulatorClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
}

/** A claims table that nobody else uses. */
export async function createClaimsTable(client: DynamoDBClient): Promise<string> {
  const tableName = `claims-${randomUUID()}`;
  await client.send(new CreateTableCommand(claimsTableDefinition(tableName).table));
  return tableName;
}

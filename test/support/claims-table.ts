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

/** A claims table that nobody else uses; with the index, if its leases are in the attribute of that name. */
export async function createClaimsTable(
  client: DynamoDBClient,
  indexed?: { readonly leaseUntil: string },
): Promise<string> {
  const tableName = `claims-${randomUUID()}`;
  const { table } = claimsTableDefinition(tableName, indexed, { overdueIndex: indexed !== undefined });
  await client.send(new CreateTableCommand(table));
  return tableName;
}

/** What the leases are called in rows of both formats. */
export const LEASE_ATTRIBUTES = { own: 'leaseUntil', powertools: 'in_progress_expiration' } as const;

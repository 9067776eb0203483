import { rawDynamoDB } from '../contenders/raw-dynamodb.ts';

/** Makes the table again, without rows. */
export async function emptyTable(endpoint: string, tableName: string): Promise<void> {
  const { status, output } = await rawDynamoDB(endpoint)('DeleteTable', { TableName: tableName });
  const wasThere = !JSON.stringify(output).includes('ResourceNotFound');
  if (status !== 200 && wasThere)
    throw new Error(`The table could not be deleted: ${JSON.stringify(output)}`);
  await ensureTable(endpoint, tableName);
}

/** Makes the table that both libraries use with their defaults: partition key `id`. */
export async function ensureTable(endpoint: string, tableName: string): Promise<void> {
  const { status, output } = await rawDynamoDB(endpoint)('CreateTable', {
    TableName: tableName,
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  const isThere = JSON.stringify(output).includes('ResourceInUse');
  if (status !== 200 && !isThere) throw new Error(`The table could not be made: ${JSON.stringify(output)}`);
}

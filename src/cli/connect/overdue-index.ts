import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Context } from '../context.ts';

const PARTITION_KEY = 'overdueShard';

/**
 * The index of overdue claims: the one that is named, none for `none`, else the one that the table has. Without the right to
 * describe the table there is none, and that is said.
 */
export async function overdueIndexOf(
  client: DynamoDBClient,
  tableName: string,
  named: string | undefined,
  context: Context,
): Promise<string | undefined> {
  if (named !== undefined) return named === 'none' ? undefined : named;
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }), {
      abortSignal: context.signal,
    });
    const index = Table?.GlobalSecondaryIndexes?.find(({ KeySchema = [] }) =>
      KeySchema.some(({ AttributeName, KeyType }) => AttributeName === PARTITION_KEY && KeyType === 'HASH'),
    );
    context.screen.detail(
      index === undefined
        ? `Table ${tableName} has no index of overdue claims.`
        : `Index of overdue claims: ${index.IndexName}.`,
    );
    return index?.IndexName;
  } catch (error) {
    if (!isAccessDenied(error)) throw error;
    context.screen.note(
      'dynamodb:DescribeTable is refused, so the table is taken to have no index of overdue claims; if it has one, add --index NAME.',
    );
    return undefined;
  }
}

function isAccessDenied(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('AccessDenied');
}

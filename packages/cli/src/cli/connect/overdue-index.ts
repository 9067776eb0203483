import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { OverdueIndexOptions } from 'batchlatch/dynamodb';
import type { Context } from '../context.ts';

const PARTITION_KEY = 'overdueShard';

/** The store's option for the overdue index. `isMissing`: the table was described, and has none. */
export interface TableIndex {
  readonly option: false | OverdueIndexOptions;
  readonly isMissing: boolean;
}

/**
 * Returns the index of overdue claims: the named one, none for `none`, else the one found in the table's
 * description. Without permission to describe the table, the store itself looks for the index `overdue`.
 */
export async function overdueIndexOf(
  client: DynamoDBClient,
  tableName: string,
  named: string | undefined,
  context: Context,
): Promise<TableIndex> {
  if (named !== undefined) return { option: named === 'none' ? false : { name: named }, isMissing: false };
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }), {
      abortSignal: context.signal,
    });
    const name = Table?.GlobalSecondaryIndexes?.find(({ KeySchema = [] }) =>
      KeySchema.some(({ AttributeName, KeyType }) => AttributeName === PARTITION_KEY && KeyType === 'HASH'),
    )?.IndexName;
    if (name === undefined) return { option: false, isMissing: true };
    context.screen.detail(`Index of overdue claims: ${name}.`);
    return { option: { name }, isMissing: false };
  } catch (error) {
    if (!isAccessDenied(error)) throw error;
    context.screen.detail(
      'dynamodb:DescribeTable is refused: the index of overdue claims is taken to be `overdue`.',
    );
    return { option: {}, isMissing: false };
  }
}

function isAccessDenied(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('AccessDenied');
}

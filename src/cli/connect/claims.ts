import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { OperableStore } from '../../claims/operable-store.ts';
import { operableStore } from '../../operations/operable-store.ts';
import { dynamoDBStore } from '../../stores/dynamodb/dynamodb-store.ts';
import type { TableOptions } from '../arguments/common-options.ts';
import { clockOf } from '../clock.ts';
import type { Context } from '../context.ts';
import { withDynamoDB } from './dynamodb.ts';
import { overdueIndexOf } from './overdue-index.ts';
import { tableNameOf } from './table-name.ts';

/** The claims that a command works on. */
export interface Claims {
  readonly store: OperableStore;
  readonly tableName: string;
}

/** Opens the claims table for `use`. */
export async function withClaims<Result>(
  context: Context,
  options: TableOptions,
  use: (claims: Claims) => Promise<Result>,
): Promise<Result> {
  const tableName = tableNameOf(options.table, context);
  return withDynamoDB(context, options, async (client) =>
    use({ tableName, store: await openStore(client, tableName, options, context) }),
  );
}

/** The claims in a table. */
async function openStore(
  client: DynamoDBClient,
  tableName: string,
  options: TableOptions,
  context: Context,
): Promise<OperableStore> {
  const index = await overdueIndexOf(client, tableName, options.index, context);
  const format =
    options.attributes === 'powertools'
      ? (await import('../../powertools/powertools-attributes.ts')).powertoolsAttributes
      : undefined;
  const store = dynamoDBStore({
    tableName,
    client,
    clock: clockOf(context),
    ...(format !== undefined && { attributes: format }),
    // Not left to CLAIMS_OVERDUE_INDEX, which may be another table's.
    overdueIndex: index === undefined ? false : { name: index, shards: options.indexShards },
  });
  return operableStore(store);
}

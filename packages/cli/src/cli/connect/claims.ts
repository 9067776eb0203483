import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ClaimAdmin, ClaimState } from 'batchlatch/operations';
import { dynamoDBAdmin } from 'batchlatch/dynamodb';
import type { TableOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import { clockOf } from '../clock.ts';
import type { Context } from '../context.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { awsSettings, isLocal } from './aws-settings.ts';
import { withDynamoDB } from './dynamodb.ts';
import { overdueIndexOf, type TableIndex } from './overdue-index.ts';
import { withPostgres } from './postgres.ts';
import { withRedis } from './redis.ts';
import { tableNameOf } from './table-name.ts';

/** The claims that a command reads or changes. */
export interface Claims {
  readonly store: ClaimAdmin;
  /** For a person: `table claims`. */
  readonly place: string;
  /** The source of a read without an index. */
  readonly rowsOf: 'the table' | 'Redis';
  /** The states that the store finds by an index. */
  readonly indexedStates: readonly ClaimState[];
  /** Whether the endpoint of DynamoDB is on this machine. */
  readonly isLocal: boolean;
  /** Returns the database's own estimate of the number of rows, if it has one. */
  estimateRows?(signal: AbortSignal): Promise<number | undefined>;
}

const INDEXED: readonly ClaimState[] = ['in-progress', 'overdue', 'parked'];

export type StoreKind = 'dynamodb' | 'postgres' | 'redis';

/** Returns the store that the options name. Throws a `UsageError` for more than one. */
function storeKindOf({ postgres, redis, index, attributes }: TableOptions): StoreKind {
  if (postgres !== undefined && redis !== undefined) {
    throw new UsageError('Claims are in one store: give --postgres or --redis, not both.');
  }
  if (postgres === undefined && redis === undefined) return 'dynamodb';
  if (index !== undefined || attributes !== undefined) {
    throw new UsageError('--index and --attributes are for tables of DynamoDB: leave them out.');
  }
  return postgres === undefined ? 'redis' : 'postgres';
}

/** Opens the claims for `use`, and closes the connection after it. */
export async function withClaims<Result>(
  context: Context,
  options: TableOptions,
  use: (claims: Claims) => Promise<Result>,
): Promise<Result> {
  switch (storeKindOf(options)) {
    case 'postgres':
      return inPostgres(context, options, use);
    case 'redis':
      return inRedis(context, options, use);
    case 'dynamodb':
      return inDynamoDB(context, options, use);
  }
}

function claimsOf(
  store: ClaimAdmin,
  place: string,
  more: Partial<Claims> & Pick<Claims, 'indexedStates'>,
): Claims {
  return { store, place, rowsOf: 'the table', isLocal: false, ...more };
}

async function inPostgres<Result>(
  context: Context,
  options: TableOptions,
  use: (claims: Claims) => Promise<Result>,
): Promise<Result> {
  const { postgresAdmin } = await import('batchlatch/postgres');
  const table = postgresTableOf(options);
  return withPostgres(context, options, async (pool) =>
    use(
      claimsOf(postgresAdmin({ pool, table }), `table ${escapeControls(table)}`, {
        indexedStates: [...INDEXED, 'failed'],
      }),
    ),
  );
}

/** CLAIMS_TABLE_NAME is ignored: it names a table of DynamoDB. */
export function postgresTableOf({ table = 'batchlatch_claims' }: Pick<TableOptions, 'table'>): string {
  return table;
}

async function inRedis<Result>(
  context: Context,
  options: TableOptions,
  use: (claims: Claims) => Promise<Result>,
): Promise<Result> {
  const { table, redisPrefix: prefix, redisSlots: slots } = options;
  if (table !== undefined)
    throw new UsageError('Redis has no tables: leave --table out; --redis-prefix names claims.');
  const { redisAdmin } = await import('batchlatch/redis');
  const place = prefix === undefined ? 'Redis' : `Redis under ${escapeControls(prefix)}`;
  return withRedis(context, options, async (client) => {
    const named = { ...(prefix !== undefined && { prefix }), ...(slots !== undefined && { slots }) };
    return use(claimsOf(redisAdmin({ client, ...named }), place, { indexedStates: [], rowsOf: 'Redis' }));
  });
}

async function inDynamoDB<Result>(
  context: Context,
  options: TableOptions,
  use: (claims: Claims) => Promise<Result>,
): Promise<Result> {
  const tableName = tableNameOf(options.table, context);
  return withDynamoDB(context, options, async (client) => {
    const index = await overdueIndexOf(client, tableName, options.index, context);
    const table = await openTable(client, tableName, { ...options, index }, context);
    const { endpoint } = awsSettings('DYNAMODB', options, context);
    return use(
      claimsOf(
        index.isMissing ? sayingThatIndexIsMissing(table) : table,
        `table ${escapeControls(tableName)}`,
        {
          indexedStates: index.option === false ? [] : INDEXED,
          isLocal: isLocal(endpoint),
          estimateRows: (signal) => itemCountOf(client, tableName, signal),
        },
      ),
    );
  });
}

/** Reports the missing index: an admin told to use no index does not know that the table has none. */
function sayingThatIndexIsMissing(table: ClaimAdmin): ClaimAdmin {
  const said = <Reading>(reading: Reading, state: ClaimState | undefined): Reading =>
    state !== undefined && INDEXED.includes(state) ? { ...reading, missingIndex: 'overdue' } : reading;
  return {
    ...table,
    list: async (query, options) => said(await table.list(query, options), query.state),
    count: async (query, options) => said(await table.count(query, options), query.state),
  };
}

/** Returns DynamoDB's item count, which is updated about every six hours. */
async function itemCountOf(
  client: DynamoDBClient,
  tableName: string,
  abortSignal: AbortSignal,
): Promise<number | undefined> {
  const describe = new DescribeTableCommand({ TableName: tableName });
  const { Table } = await client.send(describe, { abortSignal });
  return Table?.ItemCount;
}

async function openTable(
  client: DynamoDBClient,
  tableName: string,
  {
    index,
    attributes,
    indexShards,
  }: Pick<TableOptions, 'attributes' | 'indexShards'> & { readonly index: TableIndex },
  context: Context,
): Promise<ClaimAdmin> {
  const format =
    attributes === 'powertools'
      ? (await import('../tables/powertools-attributes.ts')).powertoolsAttributes
      : undefined;
  return dynamoDBAdmin({
    tableName,
    client,
    clock: clockOf(context),
    ...(format !== undefined && { attributes: format }),
    overdueIndex: index.option === false ? false : { ...index.option, shards: indexShards },
  });
}

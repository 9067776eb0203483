import type { CreateTableCommandInput, UpdateTimeToLiveCommandInput } from '@aws-sdk/client-dynamodb';
import { checkOptionsOf } from '../../options/check-options.ts';
import { assertAttributeNames, type AttributeNames, defaultAttributeNames } from './row.ts';
import { anOverdueIndex, OVERDUE_SHARD, type OverdueIndexOptions, overdueIndexOf } from './overdue-index.ts';

/** The two requests that create a claims table. */
export interface ClaimsTableDefinition {
  /** The input of `CreateTableCommand`. */
  readonly table: CreateTableCommandInput;
  /** The input of `UpdateTimeToLiveCommand`, for the active table. */
  readonly timeToLive: UpdateTimeToLiveCommandInput;
}

/** Options of `claimsTableDefinition()`. */
export interface ClaimsTableOptions {
  /** Whether the table has the index that lists claims without a scan, and its name. Default: none. */
  readonly overdueIndex?: boolean | OverdueIndexOptions;
}

/**
 * Returns the definition of the claims table, as in the template, for tests, scripts and tools other than
 * SAM. Throws a `ConfigurationError` for invalid names and options.
 *
 * @param tableName The table's name.
 * @param attributes Names that differ from those of the template. Default: none.
 * @param options Whether the table has the overdue index.
 */
export function claimsTableDefinition(
  tableName: string,
  attributes: Partial<Pick<AttributeNames, 'key' | 'expiresAt' | 'leaseUntil'>> = {},
  options: ClaimsTableOptions = {},
): ClaimsTableDefinition {
  assertAttributeNames(attributes, defaultAttributeNames);
  checkOptionsOf('claimsTableDefinition', options, { overdueIndex: anOverdueIndex() });
  const { key, expiresAt, leaseUntil } = { ...defaultAttributeNames, ...attributes };
  const index = overdueIndexOf(options.overdueIndex ?? false);
  const table: CreateTableCommandInput = {
    TableName: tableName,
    AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
    KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  };
  if (index !== undefined) {
    table.AttributeDefinitions?.push(
      { AttributeName: OVERDUE_SHARD, AttributeType: 'S' },
      { AttributeName: leaseUntil, AttributeType: 'N' },
    );
    const KeySchema: CreateTableCommandInput['KeySchema'] = [
      { AttributeName: OVERDUE_SHARD, KeyType: 'HASH' },
      { AttributeName: leaseUntil, KeyType: 'RANGE' },
    ];
    const Projection = { ProjectionType: 'KEYS_ONLY' } as const;
    table.GlobalSecondaryIndexes = [{ IndexName: index.name, KeySchema, Projection }];
  }
  const TimeToLiveSpecification = { AttributeName: expiresAt, Enabled: true };
  return { table, timeToLive: { TableName: tableName, TimeToLiveSpecification } };
}

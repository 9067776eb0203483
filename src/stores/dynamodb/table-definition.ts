import type { CreateTableCommandInput, UpdateTimeToLiveCommandInput } from '@aws-sdk/client-dynamodb';
import { checkOptionsOf } from '../../options/check-options.ts';
import { assertAttributeNames, type AttributeNames, defaultAttributeNames } from './row.ts';
import { anOverdueIndex, OVERDUE_SHARD, type OverdueIndexOptions, overdueIndexOf } from './overdue-index.ts';

/** The two requests that make a claims table. */
export interface ClaimsTableDefinition {
  /** For `CreateTableCommand`. */
  readonly table: CreateTableCommandInput;
  /** For `UpdateTimeToLiveCommand`, once the table is active. */
  readonly timeToLive: UpdateTimeToLiveCommandInput;
}

/** What else a claims table may have. */
export interface ClaimsTableOptions {
  /** Whether the table has the index by which claims are listed without a scan, and its name. Default: none. */
  readonly overdueIndex?: boolean | OverdueIndexOptions;
}

/**
 * The claims table as the template defines it, for tests, scripts and other tools than SAM. Throws a `ConfigurationError`
 * for names and options that cannot be.
 *
 * @param tableName The table's name.
 * @param attributes Names other than those of the template. Default: none.
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

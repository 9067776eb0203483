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
  return {
    table: {
      TableName: tableName,
      AttributeDefinitions: [
        { AttributeName: key, AttributeType: 'S' },
        ...(index === undefined
          ? []
          : [
              { AttributeName: OVERDUE_SHARD, AttributeType: 'S' as const },
              { AttributeName: leaseUntil, AttributeType: 'N' as const },
            ]),
      ],
      KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
      ...(index !== undefined && {
        GlobalSecondaryIndexes: [
          {
            IndexName: index.name,
            KeySchema: [
              { AttributeName: OVERDUE_SHARD, KeyType: 'HASH' as const },
              { AttributeName: leaseUntil, KeyType: 'RANGE' as const },
            ],
            Projection: { ProjectionType: 'KEYS_ONLY' as const },
          },
        ],
      }),
    },
    timeToLive: {
      TableName: tableName,
      TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true },
    },
  };
}

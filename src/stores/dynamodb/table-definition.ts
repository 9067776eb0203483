import type { CreateTableCommandInput, UpdateTimeToLiveCommandInput } from '@aws-sdk/client-dynamodb';
import { assertAttributeNames } from './attribute-names.ts';
import { type AttributeNames, defaultAttributeNames } from './row.ts';

/** The two requests that make a claims table. */
export interface ClaimsTableDefinition {
  /** For `CreateTableCommand`. */
  readonly table: CreateTableCommandInput;
  /** For `UpdateTimeToLiveCommand`, once the table is active. */
  readonly timeToLive: UpdateTimeToLiveCommandInput;
}

/** The claims table as the template defines it, for tests, scripts and other tools than SAM. */
export function claimsTableDefinition(
  tableName: string,
  attributes: Partial<Pick<AttributeNames, 'key' | 'expiresAt'>> = {},
): ClaimsTableDefinition {
  assertAttributeNames(attributes, defaultAttributeNames);
  const { key, expiresAt } = { ...defaultAttributeNames, ...attributes };
  return {
    table: {
      TableName: tableName,
      AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
      KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    },
    timeToLive: {
      TableName: tableName,
      TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true },
    },
  };
}

import type { CreateTableCommandInput, UpdateTimeToLiveCommandInput } from '@aws-sdk/client-dynamodb';
import { UNSENT_INDEX } from './dynamodb-row.ts';

/** The two requests that create the table of an outbox. */
export interface OutboxTableDefinition {
  /** The input of `CreateTableCommand`. */
  readonly table: CreateTableCommandInput;
  /** The input of `UpdateTimeToLiveCommand`, for the active table. Counters and dropped rows expire. */
  readonly timeToLive: UpdateTimeToLiveCommandInput;
}

/**
 * Returns the definition of a DynamoDB outbox's table, as in the template, for tests, scripts and tools other
 * than SAM.
 *
 * @param tableName The table's name.
 */
export function outboxTableDefinition(tableName: string): OutboxTableDefinition {
  return {
    table: {
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'lane', AttributeType: 'S' },
        { AttributeName: 'position', AttributeType: 'S' },
        { AttributeName: 'unsent', AttributeType: 'S' },
        { AttributeName: 'createdAt', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'lane', KeyType: 'HASH' },
        { AttributeName: 'position', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: UNSENT_INDEX,
          KeySchema: [
            { AttributeName: 'unsent', KeyType: 'HASH' },
            { AttributeName: 'createdAt', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
      // Relays read the rows themselves: a stream is a day late at worst, and a row may be gone.
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
    },
    timeToLive: {
      TableName: tableName,
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    },
  };
}

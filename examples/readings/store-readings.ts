import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { PermanentError, RetryLaterError } from 'batchlatch';

/** What a sensor measured. */
export interface Reading {
  readonly sensorId: string;
  readonly takenAt: string;
  readonly celsius: number;
}

/** Both take 25 at a time: the handler, and `BatchWriteItem`. */
export const READINGS_AT_ONCE = 25;

const client = new DynamoDBClient({});

/** Stores readings in one request. Answers for each of them: an error for what is malformed or was not taken. */
export async function storeReadings(readings: readonly Reading[]): Promise<(Error | 'stored')[]> {
  const tableName = process.env['READINGS_TABLE_NAME'] ?? '';
  const valid = readings.filter(isReading);
  const { UnprocessedItems } =
    valid.length === 0
      ? {}
      : await client.send(
          new BatchWriteItemCommand({
            RequestItems: {
              [tableName]: valid.map((reading) => ({ PutRequest: { Item: marshall(reading) } })),
            },
          }),
        );
  const unprocessed = new Set(
    (UnprocessedItems?.[tableName] ?? []).map(
      ({ PutRequest }) => `${PutRequest?.Item?.['sensorId']?.S} ${PutRequest?.Item?.['takenAt']?.S}`,
    ),
  );
  return readings.map((reading) => {
    if (!isReading(reading)) return new PermanentError('This is not a reading');
    const isLeftOver = unprocessed.has(`${reading.sensorId} ${reading.takenAt}`);
    return isLeftOver ? new RetryLaterError({ delayMs: 5_000 }) : 'stored';
  });
}

function isReading(value: unknown): value is Reading {
  if (typeof value !== 'object' || value === null) return false;
  const { sensorId, takenAt, celsius } = value as Partial<Reading>;
  return typeof sensorId === 'string' && typeof takenAt === 'string' && typeof celsius === 'number';
}

/** A fault that no local DynamoDB makes, a write of which a part is not taken, by `aws-sdk-client-mock`. */
import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { PermanentError, RetryLaterError } from 'batchlatch';
import { storeReadings } from './store-readings.ts';

const table = mockClient(DynamoDBClient);
const reading = (sensorId: string) => ({ sensorId, takenAt: '2026-01-01T00:00:00Z', celsius: 21 });

afterEach(() => {
  table.reset();
  Reflect.deleteProperty(process.env, 'READINGS_TABLE_NAME');
});

it('asks for what the table did not take again, and for nothing else', async () => {
  process.env['READINGS_TABLE_NAME'] = 'readings';
  const left = { PutRequest: { Item: marshall(reading('b')) } };
  table.on(BatchWriteItemCommand).resolves({ UnprocessedItems: { readings: [left] } });

  const answers = await storeReadings([reading('a'), reading('b')]);
  expect(answers).toEqual(['stored', new RetryLaterError({ delayMs: 5_000 })]);
});

it('writes nothing where nothing is a reading', async () => {
  const answers = await storeReadings([{ ...reading('a'), celsius: 'warm' as unknown as number }]);
  expect(answers).toEqual([expect.any(PermanentError)]);
  expect(table.calls()).toEqual([]);
});

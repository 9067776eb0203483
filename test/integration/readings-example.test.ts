import { CreateTableCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { interceptLocalhostDns } from 'fauxqs';
import type { BatchProcessor, BatchResponse } from 'batchlatch';
import type { SQSEvent } from 'aws-lambda';
import { emulatedTable } from '../support/emulated-table.ts';
import { type EmulatedQueue, emulatedQueues } from '../support/emulated-queues.ts';

const claims = emulatedTable('dynoxide');
const queues = emulatedQueues();
const changed = [
  'AWS_ENDPOINT_URL_DYNAMODB',
  'AWS_ENDPOINT_URL_SQS',
  'CLAIMS_TABLE_NAME',
  'READINGS_TABLE_NAME',
  'DEAD_LETTERS_URL',
  'BATCHLATCH_LOG_LEVEL',
];
let dead: EmulatedQueue;
let handler: BatchProcessor;

// fauxqs names its queues in a domain that not every machine can resolve, and knows them by that name alone.
const stopResolving = interceptLocalhostDns();

beforeAll(async () => {
  await claims.newClient().send(
    new CreateTableCommand({
      TableName: 'readings',
      AttributeDefinitions: [
        { AttributeName: 'sensorId', AttributeType: 'S' },
        { AttributeName: 'takenAt', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'sensorId', KeyType: 'HASH' },
        { AttributeName: 'takenAt', KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  dead = await queues.create();
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = claims.endpoint;
  process.env['AWS_ENDPOINT_URL_SQS'] = new URL(dead.queueUrl).origin;
  process.env['BATCHLATCH_LOG_LEVEL'] = 'silent';
  process.env['CLAIMS_TABLE_NAME'] = claims.tableName;
  process.env['READINGS_TABLE_NAME'] = 'readings';
  process.env['DEAD_LETTERS_URL'] = dead.queueUrl;
  ({ handler } = await import('../../examples/readings/readings-queue.ts'));
});
afterAll(() => {
  stopResolving();
  for (const name of changed) Reflect.deleteProperty(process.env, name);
});

it('the readings of a batch are stored once, and what is no reading is a dead letter', async () => {
  const queue = await queues.create();
  const reading = (sensorId: string) => ({ sensorId, takenAt: '2026-01-01T00:00:00Z', celsius: 21 });
  for (const sensorId of ['a', 'b', 'a']) await queue.send(reading(sensorId));
  await queue.send({ ...reading('c'), celsius: 'warm' });
  const event: SQSEvent = await queue.receive();
  expect(event.Records).toHaveLength(4);
  const response: BatchResponse = await handler(event);
  expect(response).toEqual({ batchItemFailures: [] });

  const { Items = [] } = await claims.newClient().send(new ScanCommand({ TableName: 'readings' }));
  expect(new Set(Items.map(({ sensorId }) => sensorId?.S))).toEqual(new Set(['a', 'b']));
  expect(Items).toHaveLength(2);
  const [letter] = (await dead.receive()).Records;
  expect(letter?.messageAttributes['ErrorMessage']?.stringValue).toBe('This is not a reading');
});

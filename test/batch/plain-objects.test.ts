import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { type BatchRecord, createBatchProcessor, type RecordContext } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import {
  dynamoDBStreamEvent,
  eventBridgeEvent,
  kafkaEvent,
  kinesisEvent,
  lambdaContext,
  snsEvent,
  sqsEvent,
} from 'batchlatch/testing';

const body = { orderId: 'order-1' };
const EVENTS: readonly (readonly [string, unknown])[] = [
  ['SQS', sqsEvent([{ body }])],
  ['SNS', snsEvent([{ message: body }])],
  ['Kinesis', kinesisEvent([{ body, partitionKey: 'a' }])],
  ['Kafka', kafkaEvent([{ value: body }])],
  ['EventBridge', eventBridgeEvent({ detail: body })],
  ['DynamoDB Streams', dynamoDBStreamEvent([{ newImage: body, keys: body }])],
];

async function handled(event: unknown): Promise<{ record: BatchRecord; context: RecordContext }> {
  let seen: { record: BatchRecord; context: RecordContext } | undefined;
  const handler = createBatchProcessor(
    (record, context) => {
      seen = { record, context };
    },
    { store: memoryStore() },
  );
  await handler(event, lambdaContext());
  if (seen === undefined) throw new Error('the handler was not called');
  return seen;
}

describe.each(EVENTS)('A record of %s', (_source, event) => {
  it('keeps its members in a copy, in JSON and in a log', async () => {
    const { record } = await handled(event);
    const copy = { ...record };
    expect(copy.body).toEqual(record.body);
    expect(Object.keys(record)).toEqual(
      expect.arrayContaining(['source', 'id', 'body', 'rawBody', 'attributes', 'receiveCount', 'raw']),
    );
    expect(JSON.parse(JSON.stringify(record))).toMatchObject({
      id: record.id,
      body: JSON.parse(JSON.stringify(record.body)),
    });
    expect(inspect(record)).toContain('order-1');
    expect(inspect(record)).not.toContain(' body: [Getter');
  });
});

describe('The context of a handler', () => {
  it('keeps its members in a copy, and works there', async () => {
    const { context } = await handled(sqsEvent([{ body }]));
    const copy = { ...context };
    expect(Object.keys(copy)).toEqual(
      expect.arrayContaining([
        'signal',
        'done',
        'idempotencyKey',
        'attempt',
        'leaseUntil',
        'extendLease',
        'remainingTimeMs',
        'lambda',
      ]),
    );
    expect(copy.idempotencyKey).toBe(context.idempotencyKey);
    expect(copy.signal).toBe(context.signal);
    expect(copy.remainingTimeMs()).toEqual(expect.any(Number));
    expect(JSON.stringify(context)).toContain(context.idempotencyKey);
  });
});

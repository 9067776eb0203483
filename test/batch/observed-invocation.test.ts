import { describe, expect, it } from '@jest/globals';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { createBatchProcessor, type ObservedInvocation, type ObservedRecord, snsEnvelope } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import {
  dynamoDBStreamEvent,
  eventBridgeEvent,
  kafkaEvent,
  kinesisEvent,
  lambdaContext,
  s3Event,
  snsEvent,
  sqsEvent,
} from 'batchlatch/testing';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const attribute = (stringValue: string): SQSRecord['messageAttributes'][string] => ({
  stringValue,
  dataType: 'String',
});

/** What an observer sees of the invocation of this event, and the ids of its records. */
async function observed(
  event: unknown,
  options: Parameters<typeof createBatchProcessor>[1] = {},
): Promise<{ readonly invocation: ObservedInvocation; readonly ids: string[] }> {
  const ids: string[] = [];
  let invocation: ObservedInvocation | undefined;
  const process = createBatchProcessor(() => 'done', {
    store: memoryStore(),
    namespace: 'observed',
    observer: {
      onEvent: () => undefined,
      onInvocation: (its) => void (invocation = its),
      onOutcome: (id) => void ids.push(id),
    },
    ...options,
  });
  await (process as (event: unknown, context: unknown) => Promise<unknown>)(event, lambdaContext()).catch(
    () => undefined,
  );
  return { invocation: invocation as ObservedInvocation, ids };
}

async function firstRecord(
  event: unknown,
  options?: Parameters<typeof createBatchProcessor>[1],
): Promise<ObservedRecord | undefined> {
  const { invocation, ids } = await observed(event, options);
  return invocation.recordOf(ids[0] ?? '');
}

function sqsWith(members: (record: SQSRecord) => void): SQSEvent {
  const event = sqsEvent([{ body: {}, messageId: 'm-1', sentAt: 1_000 }]);
  members(event.Records[0] as SQSRecord);
  return event;
}

describe('An invocation', () => {
  it('names itself, its function and its source, and counts its records', async () => {
    const { invocation } = await observed(sqsEvent([{ body: 1 }, { body: 2 }]));
    const { requestId, functionName, source, records } = invocation;
    expect([functionName, source, records]).toEqual(['test-function', 'sqs', 2]);
    expect(requestId).toMatch(/^[\da-f-]{36}$/);
  });

  it('has a source although its first record cannot be read, and none where no record can', async () => {
    const event = sqsEvent([{ body: 1 }, { body: 2 }]);
    Object.assign(event.Records[0] as object, { body: null });
    expect((await observed(event)).invocation.source).toBe('sqs');
    Object.assign(event.Records[1] as object, { body: null });
    expect((await observed(event)).invocation.source).toBe('unknown');
  });

  it('knows the record of an id, of equal ids the first, and of others none', async () => {
    const event = sqsEvent([
      { body: 1, messageId: 'a', sentAt: 1_000 },
      { body: 2, messageId: 'a', sentAt: 2_000 },
    ]);
    const { invocation } = await observed(event);
    expect(invocation.recordOf('a')?.sentAt).toBe(1_000);
    expect(invocation.recordOf('b')).toBeUndefined();
    expect(invocation.recordOf('__proto__')).toBeUndefined();
  });
});

describe('A record', () => {
  const sentAt = Date.UTC(2026, 0, 1);

  it.each<[string, unknown, Partial<ObservedRecord>]>([
    [
      'SQS',
      sqsEvent([{ body: 1, sentAt, receiveCount: 3 }]),
      {
        sourceArn: 'arn:aws:sqs:us-east-1:123456789012:orders',
        destination: 'orders',
        sentAt,
        receiveCount: 3,
      },
    ],
    [
      'SNS',
      snsEvent([{ message: 1, sentAt }]),
      { sourceArn: 'arn:aws:sns:us-east-1:123456789012:orders', destination: 'orders', sentAt },
    ],
    [
      'Kinesis',
      kinesisEvent([{ body: 1, sentAt }], { streamName: 'clicks' }),
      { destination: 'clicks', sentAt },
    ],
    [
      'DynamoDB Streams',
      dynamoDBStreamEvent([{ keys: { id: '1' } }], { tableName: 'carts' }),
      { destination: 'carts' },
    ],
    [
      'Kafka',
      kafkaEvent([{ value: 1, topic: 'payments' }]),
      { sourceArn: undefined, destination: 'payments' },
    ],
    ['S3', s3Event([{ key: 'a' }]), { sourceArn: 'arn:aws:s3:::uploads', destination: 'uploads' }],
    [
      'EventBridge',
      eventBridgeEvent({}),
      { sourceArn: undefined, destination: 'shop.orders', receiveCount: 1 },
    ],
  ])('of %s says where it comes from', async (_source, event, expected) => {
    expect(await firstRecord(event)).toMatchObject(expected);
  });

  it('has its message attributes for headers, in any case', async () => {
    const record = await firstRecord(
      sqsWith(({ messageAttributes }) => {
        messageAttributes['TraceParent'] = attribute(TRACEPARENT);
      }),
    );
    expect(record?.headerOf('traceparent')).toBe(TRACEPARENT);
    expect(record?.headerOf('tracestate')).toBeUndefined();
    expect(record?.headerOf('constructor')).toBeUndefined();
  });

  it('has AWSTraceHeader for an X-Ray header, unless an attribute has that name', async () => {
    const header = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
    const event = sqsWith((record) => Object.assign(record.attributes, { AWSTraceHeader: header }));
    expect((await firstRecord(event))?.headerOf('X-Amzn-Trace-Id')).toBe(header);
    const both = sqsWith((record) => {
      Object.assign(record.attributes, { AWSTraceHeader: header });
      record.messageAttributes['x-amzn-trace-id'] = attribute('Root=own');
    });
    expect((await firstRecord(both))?.headerOf('x-amzn-trace-id')).toBe('Root=own');
  });

  it('has the attributes of what is inside an envelope', async () => {
    const notification = snsEvent([
      { message: {}, messageAttributes: { traceparent: { Type: 'String', Value: TRACEPARENT } } },
    ]).Records[0]?.Sns;
    const event = sqsEvent([{ body: notification }]);
    expect((await firstRecord(event, { decode: snsEnvelope() }))?.headerOf('traceparent')).toBe(TRACEPARENT);
  });

  it.each([
    ['is too long', 'a'.repeat(8_193)],
    ['has a line feed', 'a\nb'],
    ['has other characters than ASCII', 'ä'],
    ['has an escape', '\u001B[31m'],
    ['is empty', ''],
  ])('has no header that %s', async (_what, value) => {
    const event = sqsWith(({ messageAttributes }) => {
      messageAttributes['traceparent'] = attribute(value);
    });
    const record = await firstRecord(event);
    expect(record).toBeDefined();
    expect(record?.headerOf('traceparent')).toBeUndefined();
  });

  it.each([
    ['not one', 'orders'],
    ['too long', `arn:aws:sqs:us-east-1:123456789012:${'a'.repeat(600)}`],
    ['holding a line feed', 'arn:aws:sqs:us-east-1:123456789012:a\nb'],
    ['not a text', 7],
  ])('has no ARN that is %s', async (_what, arn) => {
    const event = sqsWith((record) => Object.assign(record, { eventSourceARN: arn }));
    expect(await firstRecord(event)).toMatchObject({ sourceArn: undefined, destination: undefined });
  });

  it('names its event source in visible characters', async () => {
    const event = eventBridgeEvent({}, { source: `a\u001B[31m b${'c'.repeat(300)}` });
    const { destination } = (await firstRecord(event)) ?? {};
    expect(destination).toMatch(/^a_\[31m_bc+$/);
    expect(destination).toHaveLength(256);
  });
});

import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import {
  describeClaimStore,
  dynamoDBStreamEvent,
  eventBridgeBusEvent,
  eventBridgeEvent,
  kafkaEvent,
  kinesisEvent,
  lambdaContext,
  s3Event,
  snsEvent,
  sqsEvent,
} from 'batchlatch/testing';

const order = { orderId: 'A' };

describe('The builders of events', () => {
  it.each([
    ['sqsEvent', sqsEvent([{ body: order }])],
    ['kinesisEvent', kinesisEvent([{ body: order }])],
    ['eventBridgeBusEvent', eventBridgeBusEvent([{ body: order }])],
    ['kafkaEvent', kafkaEvent([{ value: order }])],
    ['snsEvent', snsEvent([{ message: order }])],
    ['eventBridgeEvent', eventBridgeEvent(order)],
  ])('%s makes what a handler reads as its body', async (_name, event) => {
    const bodies: unknown[] = [];
    const processor = createBatchProcessor(({ body }) => void bodies.push(body), {
      store: memoryStore(),
      observer: { onEvent: () => undefined },
    });
    await processor(event);
    expect(bodies).toEqual([order]);
  });

  it.each([
    [{ fifo: true }, 'orders.fifo'],
    [{ queueName: 'mails', fifo: true }, 'mails.fifo'],
    [{ queueName: 'mails.fifo', fifo: true }, 'mails.fifo'],
    [{ queueName: 'mails.fifo' }, 'mails.fifo'],
    [{ queueName: 'mails' }, 'mails'],
  ])('sqsEvent names the queue so that %j is what a handler sees', (options, name) => {
    const [record] = sqsEvent([{ body: order }], options).Records;
    expect(record?.eventSourceARN).toBe(`arn:aws:sqs:us-east-1:123456789012:${name}`);
  });
});

/** Each with a wrong member, which TypeScript refuses as well, and what is said of it. */
const MISTAKES: readonly [make: () => unknown, message: string][] = [
  [
    // @ts-expect-error: the member is `body`
    () => sqsEvent([{ body: 1 }, { data: 1 }]),
    'sqsEvent: [1]: Unknown option `data`; known options are body',
  ],
  [
    // @ts-expect-error: misspelled
    () => sqsEvent([{ body: 1, messageID: 'm' }]),
    'sqsEvent: [0]: Unknown option `messageID`; known options are',
  ],
  [
    // @ts-expect-error: there is no body
    () => sqsEvent([{ messageId: 'm' }]),
    'sqsEvent: [0]: Expected `body` to be a value that JSON can hold, got `undefined` (undefined)',
  ],
  [
    // @ts-expect-error: a text
    () => sqsEvent([{ body: 1, receiveCount: '2' }]),
    "sqsEvent: [0]: Expected `receiveCount` to be an integer from 1 up, got `'2'` (string)",
  ],
  // @ts-expect-error: the option is `queueName`
  [() => sqsEvent([], { queue: 'q' }), 'sqsEvent: Unknown option `queue`; known options are queueName, fifo'],
  // @ts-expect-error: a list is wanted
  [() => sqsEvent({ body: 1 }), 'sqsEvent: Expected a list of records as the first argument, got object'],
  // @ts-expect-error: the member is `body`
  [() => kinesisEvent([{ data: 1 }]), 'kinesisEvent: [0]: Unknown option `data`; known options are body'],
  [
    // @ts-expect-error: the option is `streamName`
    () => kinesisEvent([], { name: 's' }),
    'kinesisEvent: Unknown option `name`; known options are streamName, shardId',
  ],
  [
    // @ts-expect-error: the member is `body`
    () => eventBridgeBusEvent([{ detail: 1 }]),
    'eventBridgeBusEvent: [0]: Unknown option `detail`; known options are body',
  ],
  [
    // @ts-expect-error: in capitals
    () => eventBridgeBusEvent([], { transformer: 'raw' }),
    "eventBridgeBusEvent: Expected `transformer` to be 'WITH_METADATA' or 'RAW', got `'raw'` (string)",
  ],
  // @ts-expect-error: the member is `value`
  [() => kafkaEvent([{ body: 1 }]), 'kafkaEvent: [0]: Unknown option `body`; known options are value'],
  // @ts-expect-error: a tombstone has a `value` that is undefined
  [() => kafkaEvent([{ key: 'k' }]), 'kafkaEvent: [0]: Expected `value` to be given, got nothing'],
  [
    // @ts-expect-error: misspelled
    () => kafkaEvent([], { selfmanaged: true }),
    'kafkaEvent: Unknown option `selfmanaged`; known options are',
  ],
  // @ts-expect-error: the member is `message`
  [() => snsEvent([{ body: 1 }]), 'snsEvent: [0]: Unknown option `body`; known options are message'],
  [
    // @ts-expect-error: the member is `bucket`
    () => s3Event([{ key: 'k', bucketName: 'b' }]),
    's3Event: [0]: Unknown option `bucketName`; known options are key',
  ],
  [
    // @ts-expect-error: the member is `newImage`
    () => dynamoDBStreamEvent([{ keys: {}, newimage: {} }]),
    'dynamoDBStreamEvent: [0]: Unknown option `newimage`; known options are',
  ],
  [
    // @ts-expect-error: the option is `tableName`
    () => dynamoDBStreamEvent([], { table: 't' }),
    'dynamoDBStreamEvent: Unknown option `table`; known options are tableName',
  ],
  [
    // @ts-expect-error: AWS writes it with a hyphen
    () => eventBridgeEvent(1, { detailType: 't' }),
    'eventBridgeEvent: Unknown option `detailType`; known options are',
  ],
  // @ts-expect-error: the first argument is the detail
  [() => eventBridgeEvent(1, { detail: 2 }), 'eventBridgeEvent: Unknown option `detail`'],
  [
    // @ts-expect-error: misspelled
    () => lambdaContext({ remainingTimeMS: 1 }),
    'lambdaContext: Unknown option `remainingTimeMS`; known options are',
  ],
  [
    // @ts-expect-error: the member is `create`
    () => describeClaimStore({ name: 'n', make: () => memoryStore() }),
    'describeClaimStore: Unknown option `make`',
  ],
];

describe('The images of dynamoDBStreamEvent', () => {
  it('have bytes as Lambda delivers them, as base64', () => {
    const photo = Buffer.from([1, 2]);
    const newImage = { photo, photos: new Set([photo]), pages: [{ photo }] };
    const [record] = dynamoDBStreamEvent([{ keys: { photo }, newImage }]).Records;
    expect(record?.dynamodb?.Keys).toEqual({ photo: { B: 'AQI=' } });
    expect(record?.dynamodb?.NewImage).toEqual({
      photo: { B: 'AQI=' },
      photos: { BS: ['AQI='] },
      pages: { L: [{ M: { photo: { B: 'AQI=' } } }] },
    });
  });
});

describe('A wrong member is named, with the one that was meant', () => {
  it.each(MISTAKES)('%s', (make, message) => {
    expect(make).toThrow(
      expect.objectContaining({
        code: 'BATCHLATCH_CONFIGURATION',
        message: expect.stringContaining(message),
      }),
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import {
  allSources,
  dynamoDBStream,
  eventBridge,
  eventBridgeBus,
  kafka,
  kinesis,
  s3,
  sns,
  type Source,
  type SourceBatch,
  sqs,
} from 'batchlatch';
import {
  dynamoDBStreamEvent,
  eventBridgeBusEvent,
  eventBridgeEvent,
  kafkaEvent,
  kinesisEvent,
  pipesEvent,
  s3Event,
  snsEvent,
  sqsEvent,
} from 'batchlatch/testing';
import { allOrNothing, checkpoint, itemFailures } from '../../src/sources/answers.ts';
import { readFrom } from '../../src/sources/read-from.ts';

const readEvent = (event: unknown): SourceBatch => readFrom(allSources(), event);

describe('allSources', () => {
  it.each<[string, unknown, string, unknown]>([
    ['a batch of SQS', sqsEvent([{ body: {} }]), 'sqs', itemFailures],
    ['an event of EventBridge', eventBridgeEvent({}), 'eventbridge', allOrNothing],
    ['a batch of Kinesis', kinesisEvent([{ body: {} }]), 'kinesis', checkpoint],
    ['a batch of a table', dynamoDBStreamEvent([{ keys: { id: 'A' } }]), 'dynamodb-stream', checkpoint],
    ['a notification of SNS', snsEvent([{ message: {} }]), 'sns', allOrNothing],
    ['a notification of S3', s3Event([{ key: 'a' }]), 's3', allOrNothing],
    ['a batch of Kafka', kafkaEvent([{ value: {} }]), 'kafka', expect.any(Function)],
    ['events of a bus', eventBridgeBusEvent([{ body: {} }]), 'eventbridge-bus', allOrNothing],
    ['a list of SQS', pipesEvent(sqsEvent([{ body: {} }])), 'sqs', itemFailures],
    ['a list of Kinesis', pipesEvent(kinesisEvent([{ body: {} }])), 'kinesis', itemFailures],
    [
      'a list of a table',
      pipesEvent(dynamoDBStreamEvent([{ keys: { id: 'A' } }])),
      'dynamodb-stream',
      itemFailures,
    ],
  ])('recognises %s', (_what, event, source, answer) => {
    expect(readEvent(event)).toMatchObject({
      answer,
      entries: [{ read: { record: { source } } }],
    });
  });

  it.each(['window', 'isFinalInvokeForWindow'])('refuses a tumbling window, known by its %s', (member) => {
    expect(() => readEvent({ ...kinesisEvent([{ body: {} }]), [member]: false })).toThrow(
      'Cannot read a tumbling window',
    );
  });

  it.each<[string, unknown[], string]>([
    ['what has gone through an input transformer', [{ orderId: 'A' }], '1 records with no eventSource'],
    [
      'what no pipe carries',
      snsEvent([{ message: '' }, { message: '' }]).Records,
      '2 records with "aws:sns"',
    ],
  ])('refuses a list of %s', (_what, event, got) => {
    expect(() => readEvent(event)).toThrow(
      `Cannot read an array of ${got}: batchlatch reads SQS, Kinesis and DynamoDB Streams from`,
    );
  });

  it('has nothing to run of the message by which S3 tries out a notification', () => {
    const testEvent = { Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'uploads' };
    expect(readEvent(testEvent)).toMatchObject({
      entries: [{ read: { ignored: 's3:TestEvent' } }],
    });
  });

  it('takes a batch without records for an empty one', () => {
    expect(readEvent({ Records: [] })).toEqual({ entries: [], answer: itemFailures });
  });

  it('takes a batch for that of SQS when one of its records says so; the others fail alone', () => {
    const [good] = sqsEvent([{ body: {} }]).Records;
    const { entries } = readEvent({ Records: [null, good, { eventSource: 'aws:kinesis' }] });
    expect(entries.map(({ read }) => Object.keys(read))).toEqual([['error'], ['record'], ['error']]);
  });

  it.each([
    ['nothing', undefined, 'an event of type undefined'],
    ['null', null, 'an event of type null'],
    ['a text', 'event', 'an event of type string'],
    ['an empty object', {}, 'an empty event'],
    [
      'an event of API Gateway',
      { httpMethod: 'GET', path: '/', body: null },
      'an event with httpMethod, path, body',
    ],
    [
      'an event of many members',
      Object.fromEntries('abcdefghij'.split('').map((name) => [name, 1])),
      'an event with a, b, c, d, e, f, g, h, …',
    ],
    ['Records that are no array', { Records: 'x' }, 'an event with Records'],
    [
      'a batch of Kafka',
      { Records: [{ eventSource: 'aws:kafka' }] },
      'a batch of 1 records with "aws:kafka"',
    ],
    ['an empty array', [], 'an empty array'],
    ['a batch of no source', { Records: [{}, null, 7] }, 'a batch of 3 records with no eventSource'],
  ])('refuses %s and says what it got', (_what, event, got) => {
    const read = (): unknown => readEvent(event);
    expect(read).toThrow(
      `Cannot read ${got}: batchlatch reads SQS, Kinesis, DynamoDB Streams, Kafka, SNS, S3, EventBridge`,
    );
    expect(read).toThrow(expect.objectContaining({ code: 'BATCHLATCH_UNSUPPORTED_EVENT' }));
  });

  it('shows no more of an unknown event than the beginnings of its names', () => {
    const secret = 'x'.repeat(100_000);
    for (const event of [
      { [secret]: 1 },
      { Records: [{ eventSource: secret }] },
      [{ eventSource: secret }],
    ]) {
      let message = '';
      try {
        readEvent(event);
      } catch (error) {
        ({ message } = error as Error);
      }
      expect(message).toContain('xxx');
      expect(message.length).toBeLessThan(500);
    }
  });
});

describe('a source that is named', () => {
  it.each<[string, Source, unknown]>([
    ['SQS', sqs(), sqsEvent([{ body: {} }])],
    ['SQS of a pipe', sqs(), pipesEvent(sqsEvent([{ body: {} }]))],
    ['Kinesis', kinesis(), kinesisEvent([{ body: {} }])],
    ['Kinesis of a pipe', kinesis(), pipesEvent(kinesisEvent([{ body: {} }]))],
    ['a table', dynamoDBStream(), dynamoDBStreamEvent([{ keys: { id: 'A' } }])],
    ['SNS', sns(), snsEvent([{ message: {} }])],
    ['S3', s3(), s3Event([{ key: 'a' }])],
    ['EventBridge', eventBridge(), eventBridgeEvent({})],
    ['a bus', eventBridgeBus(), eventBridgeBusEvent([{ body: {} }])],
    ['Kafka', kafka(), kafkaEvent([{ value: {} }])],
  ])('reads its own events: %s', (_what, source, event) => {
    expect(readFrom(source, event)).toMatchObject({ entries: [{ read: { record: {} } }] });
  });

  it.each<[Source, unknown, string]>([
    [kinesis(), sqsEvent([{ body: {} }]), 'Cannot read an event with Records: `source` is Kinesis'],
    [sqs(), eventBridgeEvent({}), 'Cannot read an event with version, id, source'],
    [eventBridge(), 7, 'Cannot read an event of type number: `source` is EventBridge'],
    [sns(), [{}], 'Cannot read an array of 1 records: `source` is SNS'],
  ])('refuses those of others: %#', (source, event, message) => {
    expect(() => readFrom(source, event)).toThrow(
      expect.objectContaining({
        code: 'BATCHLATCH_UNSUPPORTED_EVENT',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('takes a batch without records for an empty one of its own', () => {
    for (const source of [sqs(), kinesis(), dynamoDBStream(), sns(), s3()]) {
      expect(readFrom(source, { Records: [] }).entries).toEqual([]);
    }
  });
});

describe('a tumbling window without records', () => {
  it('is no empty batch', () => {
    const last = { Records: [], isFinalInvokeForWindow: true };
    expect(() => readEvent(last)).toThrow('Cannot read a tumbling window');
    expect(() => readFrom(sqs(), last)).toThrow('`source` is SQS');
  });
});

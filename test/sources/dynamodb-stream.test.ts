import { describe, expect, it } from '@jest/globals';
import type { DynamoDBRecord, StreamRecord } from 'aws-lambda';
import { payloadHash } from 'batchlatch';
import { dynamoDBStreamEvent, pipesEvent } from 'batchlatch/testing';
import type { DynamoDBStreamBatchRecord } from '../../src/sources/record.ts';
import { entriesOf, errorIn, recordOf } from '../support/read-record.ts';

describe('a record of a DynamoDB stream', () => {
  const event = dynamoDBStreamEvent([
    {
      keys: { orderId: 'A' },
      oldImage: { orderId: 'A', amount: 1 },
      newImage: { orderId: 'A', amount: 2, tags: new Set(['x', 'y']), lines: [{ sku: 's' }] },
      sequenceNumber: '7',
      eventId: 'e',
      sentAt: 1_700_000_000_000,
    },
  ]);
  const change = {
    eventName: 'MODIFY',
    keys: { orderId: 'A' },
    oldImage: { orderId: 'A', amount: 1 },
    newImage: { orderId: 'A', amount: 2, tags: new Set(['x', 'y']), lines: [{ sku: 's' }] },
  };

  it.each([
    ['of Lambda', event],
    ['of EventBridge Pipes', pipesEvent(event)],
  ])('%s shows the change as plain values', (_what, given) => {
    const record = recordOf(given) as DynamoDBStreamBatchRecord;
    const { source, id, body, attributes, receiveCount, sentAt, messageGroupId, envelope } = record;
    expect({ source, id, body, attributes, receiveCount, sentAt, messageGroupId, envelope }).toEqual({
      source: 'dynamodb-stream',
      id: 'arn:aws:dynamodb:us-east-1:123456789012:table/orders/stream/2026-01-01T00:00:00.000:e',
      body: change,
      attributes: {},
      receiveCount: 1,
      sentAt: 1_700_000_000_000,
      messageGroupId: undefined,
      envelope: undefined,
    });
    const { eventName, keys, newImage, oldImage, sequenceNumber } = record;
    expect({ eventName, keys, newImage, oldImage }).toEqual(change);
    expect(sequenceNumber).toBe('7');
    expect(JSON.parse(record.rawBody)).toEqual(event.Records[0]?.dynamodb);
  });

  it.each([
    ['INSERT', { newImage: { id: 'A' } }, [{ id: 'A' }, undefined]],
    ['REMOVE', { oldImage: { id: 'A' } }, [undefined, { id: 'A' }]],
    ['MODIFY', { eventName: 'MODIFY' as const }, [undefined, undefined]],
  ])('has of an %s the images that the stream has', (eventName, images, expected) => {
    const { body } = recordOf(dynamoDBStreamEvent([{ keys: { id: 'A' }, ...images }]));
    const { newImage, oldImage } = body as DynamoDBStreamBatchRecord;
    expect(body).toMatchObject({ eventName, keys: { id: 'A' } });
    expect([newImage, oldImage]).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['12', 12],
    ['-0.5', -0.5],
    ['1E-130', 1e-130],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['-99999999999999999999999999999999999999', -99_999_999_999_999_999_999_999_999_999_999_999_999n],
    ['1E+38', { value: '1E+38' }],
  ])('reads the number %s without losing it, and without throwing', (N, expected) => {
    const image = { id: { S: 'A' }, amount: { N } };
    expect((recordOf(withMembers({ NewImage: image })) as DynamoDBStreamBatchRecord).newImage).toMatchObject({
      amount: expected,
    });
  });

  it('has a member named __proto__ like any other, so that no item can set the prototype of a map', () => {
    const settings = (value: string) => ({
      M: JSON.parse(`{"__proto__":{"M":{"isAdmin":{"S":"${value}"}}}}`) as StreamRecord['Keys'] & object,
    });
    const recordWith = (value: string) =>
      recordOf(withMembers({ NewImage: { settings: settings(value) } })) as DynamoDBStreamBatchRecord;
    const { newImage } = recordWith('yes');
    expect(newImage?.['settings']).not.toHaveProperty('isAdmin');
    expect(JSON.stringify(newImage)).toBe('{"settings":{"__proto__":{"isAdmin":"yes"}}}');
    const keyOf = payloadHash({ include: ['newImage'] });
    expect(keyOf(recordWith('yes'))).not.toBe(keyOf(recordWith('no')));
  });

  it('is unmarshalled once, so that what a handler adds to it stays', () => {
    const record = recordOf(event);
    expect(record.body).toBe(record.body);
  });
});

describe('a batch of a DynamoDB stream', () => {
  it('names changes by sequence number, and runs those of one item in one lane', () => {
    const keys = [
      { tenant: 'x', id: 1 },
      { tenant: 'y', id: 1 },
      { id: 1, tenant: 'x' },
      { id: '1', tenant: 'x' },
    ];
    const entries = entriesOf(
      dynamoDBStreamEvent(keys.map((one, n) => ({ keys: one, sequenceNumber: `${n}` }))),
    );
    expect(entries.map(({ itemIdentifier }) => itemIdentifier)).toEqual(['0', '1', '2', '3']);
    const [first, second, third, fourth] = entries.map(({ lane }) => lane);
    expect(third).toBe(first);
    expect(new Set([first, second, fourth]).size).toBe(3);
  });

  it('names changes by eventID where a pipe brings them', () => {
    const event = pipesEvent(dynamoDBStreamEvent([{ keys: { id: 'A' }, eventId: 'e' }]));
    expect(entriesOf(event)).toMatchObject([{ itemIdentifier: 'e' }]);
  });

  it.each<[string, Partial<DynamoDBRecord>, RegExp, string | undefined]>([
    ['no change', { dynamodb: undefined }, /has no SequenceNumber/, undefined],
    ['no sequence number', changed({ SequenceNumber: undefined }), /has no SequenceNumber/, undefined],
    ['no keys', changed({ Keys: undefined }), /has no Keys/, '7'],
    ['empty keys', changed({ Keys: {} }), /has no Keys/, '7'],
    ['no event name', { eventName: undefined }, /eventName is undefined/, '7'],
    ['no stream', { eventSourceARN: undefined }, /no eventID or no eventSourceARN/, '7'],
    ['another source', { eventSource: 'aws:sqs' }, /eventSource is "aws:sqs"/, '7'],
  ])(
    'fails a record with %s alone, by its number where it has one',
    (_what, members, message, itemIdentifier) => {
      const [good] = dynamoDBStreamEvent([{ keys: { id: 'B' } }]).Records;
      const entries = entriesOf({ Records: [good, { ...rawRecord(), ...members }] });
      expect(errorIn(entries[1])).toMatchObject({
        code: 'BATCHLATCH_MALFORMED_RECORD',
        message: expect.stringMatching(message),
      });
      expect(entries[1]?.itemIdentifier).toBe(itemIdentifier);
      expect(errorIn(entries[0])).toBeUndefined();
    },
  );
});

function rawRecord(): DynamoDBRecord {
  return dynamoDBStreamEvent([{ keys: { id: 'A' }, newImage: { id: 'A' }, sequenceNumber: '7' }])
    .Records[0] as DynamoDBRecord;
}

function changed(members: Partial<StreamRecord>): Partial<DynamoDBRecord> {
  return { dynamodb: { ...rawRecord().dynamodb, ...members } };
}

function withMembers(members: Partial<StreamRecord>): unknown {
  return { Records: [{ ...rawRecord(), ...changed(members) }] };
}

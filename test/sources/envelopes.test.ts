import { describe, expect, it } from '@jest/globals';
import { type DecodeStep, eventBridgeEnvelope, s3Envelope, snsEnvelope } from 'batchlatch';
import { eventBridgeEvent, s3Event, snsEvent, sqsEvent } from 'batchlatch/testing';
import type { BatchRecord } from '../../src/sources/record.ts';
import type { SourceEntry } from '../../src/sources/source.ts';
import { entriesOf, errorIn, recordIn, recordOf as readRecordOf } from '../support/read-record.ts';

describe('an EventBridge event in an SQS body', () => {
  const event = eventBridgeEvent({ orderId: 'A' }, { id: 'e', 'detail-type': 'OrderPlaced', source: 'shop' });

  it('gives the record its detail as body and the event as envelope, and leaves the message what it is', () => {
    const record = recordOf(event, eventBridgeEnvelope());
    expect(record.body).toEqual({ orderId: 'A' });
    expect(record.envelope).toEqual({
      id: 'e',
      attributes: {
        source: 'shop',
        'detail-type': 'OrderPlaced',
        account: '123456789012',
        region: 'us-east-1',
      },
    });
    expect([record.source, record.id, record.rawBody]).toEqual(['sqs', 'm', JSON.stringify(event)]);
  });

  it.each([
    ['text', 'text'],
    ['another event', { detail: {} }],
    ['null', null],
  ])('is not %s: that record fails alone', (_what, body) => {
    expect(errorOf(body, eventBridgeEnvelope())).toMatchObject({
      code: 'BATCHLATCH_MALFORMED_RECORD',
      message: expect.stringContaining('The body is not an EventBridge event'),
    });
  });
});

describe('an SNS notification in an SQS body', () => {
  const notification = {
    Type: 'Notification',
    MessageId: 'n',
    TopicArn: 'arn:aws:sns:us-east-1:123456789012:orders',
    Subject: 'an order',
    Message: '{"orderId":"A"}',
    MessageAttributes: { tenant: { Type: 'String', Value: 'acme' }, odd: { Type: 'Binary' }, odder: null },
  };

  it('gives the record its message as body, parsed where it is JSON, and the notification as envelope', () => {
    const record = recordOf(notification, snsEnvelope());
    expect(record.body).toEqual({ orderId: 'A' });
    expect(record.envelope).toEqual({
      id: 'n',
      attributes: { TopicArn: notification.TopicArn, Subject: 'an order', tenant: 'acme' },
    });
    expect(recordOf({ ...notification, Message: 'plain' }, snsEnvelope()).body).toBe('plain');
  });

  it('keeps an attribute whatever its name is', () => {
    const attributes = '{"__proto__":{"Type":"String","Value":"x"}}';
    const named = {
      ...notification,
      Subject: null,
      TopicArn: null,
      MessageAttributes: JSON.parse(attributes) as unknown,
    };
    expect(Object.entries(recordOf(named, snsEnvelope()).envelope?.attributes ?? {})).toEqual([
      ['__proto__', 'x'],
    ]);
  });

  it('does without what is optional', () => {
    const bare = { Type: 'Notification', MessageId: 'n', Message: '', Subject: null };
    expect(recordOf(bare, snsEnvelope())).toMatchObject({ body: '', envelope: { id: 'n', attributes: {} } });
  });

  it.each([
    ['a raw delivery', { orderId: 'A' }],
    ['a confirmation of a subscription', { ...notification, Type: 'SubscriptionConfirmation' }],
    ['a notification without an id', { ...notification, MessageId: '' }],
    ['a notification without a message', { ...notification, Message: undefined }],
  ])('is not %s: that record fails alone, and learns of raw message delivery', (_what, body) => {
    expect(errorOf(body, snsEnvelope())).toMatchObject({
      code: 'BATCHLATCH_MALFORMED_RECORD',
      message: expect.stringContaining(
        'with raw message delivery on the subscription, leave snsEnvelope() out of `decode`',
      ),
    });
  });
});

describe('an S3 event notification in an SQS body', () => {
  const notification = s3Event([{ key: 'a b', bucket: 'uploads', sequencer: '0A' }]);

  it('gives the record the object as body, and the id that it has when S3 delivers it directly', () => {
    const record = recordOf(notification, s3Envelope());
    expect(record.body).toMatchObject({ bucket: 'uploads', key: 'a b', eventName: 'ObjectCreated:Put' });
    expect(record.envelope).toMatchObject({
      id: readRecordOf(notification).id,
      attributes: { eventName: 'ObjectCreated:Put' },
    });
  });

  it('is nothing to run when S3 tries out the queue', () => {
    const testEvent = { Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'uploads' };
    expect(entryOf(testEvent, s3Envelope()).read).toEqual({ ignored: 's3:TestEvent' });
    const inTopic = snsEvent([{ message: testEvent }]).Records[0]?.Sns;
    expect(entryOf(inTopic, [snsEnvelope(), s3Envelope()]).read).toEqual({ ignored: 's3:TestEvent' });
  });

  it.each([
    ['text', 'text', 'an object with Records'],
    ['an order', { orderId: 'A' }, 'an object with Records'],
    ['several records', s3Event([{ key: 'a' }, { key: 'b' }]), 'of 2 records'],
    ['no records', { Records: [] }, 'of 0 records'],
    ['a record of another service', { Records: [{ body: 'x' }] }, 'no eventName'],
  ])('is not %s: that record fails alone', (_what, body, message) => {
    expect(errorOf(body, s3Envelope())).toMatchObject({
      code: 'BATCHLATCH_MALFORMED_RECORD',
      message: expect.stringContaining(message),
    });
  });
});

describe('several envelopes', () => {
  it('are opened from the outside in; the id is the innermost one, the attributes are of all', () => {
    const event = eventBridgeEvent({ orderId: 'A' }, { id: 'e', source: 'shop' });
    const inTopic = snsEvent([{ message: event, messageId: 'n', subject: 's' }]).Records[0]?.Sns;
    expect(recordOf(inTopic, [snsEnvelope(), eventBridgeEnvelope()])).toMatchObject({
      body: { orderId: 'A' },
      envelope: { id: 'e', attributes: { Subject: 's', source: 'shop' } },
    });
  });

  it('fail the record when one of them is missing', () => {
    expect(errorOf(eventBridgeEvent({}), [snsEnvelope(), eventBridgeEnvelope()])).toMatchObject({
      message: expect.stringContaining('not an SNS notification'),
    });
  });
});

function entryOf(body: unknown, decode: DecodeStep | DecodeStep[]): SourceEntry {
  const [entry] = entriesOf(sqsEvent([{ messageId: 'm', body }]), ...[decode].flat());
  if (entry === undefined) throw new Error('no entry');
  expect(entry.itemIdentifier).toBe('m');
  return entry;
}

function recordOf(body: unknown, decode: DecodeStep | DecodeStep[]): BatchRecord {
  return recordIn(entryOf(body, decode));
}

function errorOf(body: unknown, decode: DecodeStep | DecodeStep[]): unknown {
  return errorIn(entryOf(body, decode));
}

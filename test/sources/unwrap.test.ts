import { describe, expect, it } from '@jest/globals';
import { eventBridgeEvent, sqsEvent } from 'batchlatch/testing';
import { readEvent } from '../../src/sources/read-event.ts';
import type { BatchRecord } from '../../src/sources/record.ts';
import type { Unwrap } from '../../src/sources/unwrap.ts';

describe('an EventBridge event in an SQS body', () => {
  const event = eventBridgeEvent({ orderId: 'A' }, { id: 'e', 'detail-type': 'OrderPlaced', source: 'shop' });

  it('gives the record its detail as body and the event as envelope, and leaves the message what it is', () => {
    const record = recordOf(event, 'eventbridge');
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
    expect(errorOf(body, 'eventbridge')).toMatchObject({
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
    const record = recordOf(notification, 'sns');
    expect(record.body).toEqual({ orderId: 'A' });
    expect(record.envelope).toEqual({
      id: 'n',
      attributes: { TopicArn: notification.TopicArn, Subject: 'an order', tenant: 'acme' },
    });
    expect(recordOf({ ...notification, Message: 'plain' }, 'sns').body).toBe('plain');
  });

  it('keeps an attribute whatever its name is', () => {
    const attributes = '{"__proto__":{"Type":"String","Value":"x"}}';
    const named = {
      ...notification,
      Subject: null,
      TopicArn: null,
      MessageAttributes: JSON.parse(attributes) as unknown,
    };
    expect(Object.entries(recordOf(named, 'sns').envelope?.attributes ?? {})).toEqual([['__proto__', 'x']]);
  });

  it('does without what is optional', () => {
    const bare = { Type: 'Notification', MessageId: 'n', Message: '', Subject: null };
    expect(recordOf(bare, 'sns')).toMatchObject({ body: '', envelope: { id: 'n', attributes: {} } });
  });

  it.each([
    ['a raw delivery', { orderId: 'A' }],
    ['a confirmation of a subscription', { ...notification, Type: 'SubscriptionConfirmation' }],
    ['a notification without an id', { ...notification, MessageId: '' }],
    ['a notification without a message', { ...notification, Message: undefined }],
  ])('is not %s: that record fails alone, and learns of raw message delivery', (_what, body) => {
    expect(errorOf(body, 'sns')).toMatchObject({
      code: 'BATCHLATCH_MALFORMED_RECORD',
      message: expect.stringContaining('with raw message delivery on the subscription, leave `unwrap` out'),
    });
  });
});

function read(body: unknown, unwrap: Unwrap): { record: BatchRecord } | { error: Error } {
  const entry = readEvent(sqsEvent([{ messageId: 'm', body }]), unwrap).entries[0];
  if (entry === undefined) throw new Error('no entry');
  expect(entry.itemIdentifier).toBe('m');
  return entry.read;
}

function recordOf(body: unknown, unwrap: Unwrap): BatchRecord {
  const result = read(body, unwrap);
  if ('error' in result) throw result.error;
  return result.record;
}

function errorOf(body: unknown, unwrap: Unwrap): unknown {
  const result = read(body, unwrap);
  return 'error' in result ? result.error : undefined;
}

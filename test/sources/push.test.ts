import { describe, expect, it } from '@jest/globals';
import type { S3EventRecord } from 'aws-lambda';
import { s3Envelope } from 'batchlatch';
import { s3Event, type S3Object, snsEvent } from 'batchlatch/testing';
import { entriesOf, errorIn, recordOf } from '../support/read-record.ts';

describe('a notification that SNS delivers', () => {
  const event = snsEvent([
    {
      message: { orderId: 'A' },
      messageId: 'n',
      subject: 'an order',
      sentAt: 1_700_000_000_000,
      messageAttributes: { tenant: { Type: 'String', Value: 'acme' } },
    },
  ]);

  it('is one record', () => {
    const { source, id, body, rawBody, attributes, receiveCount, sentAt, messageGroupId, envelope, raw } =
      recordOf(event);
    expect({ source, id, body, rawBody, attributes, receiveCount, sentAt, messageGroupId, envelope }).toEqual(
      {
        source: 'sns',
        id: 'n',
        body: { orderId: 'A' },
        rawBody: '{"orderId":"A"}',
        attributes: {
          TopicArn: 'arn:aws:sns:us-east-1:123456789012:orders',
          Subject: 'an order',
          tenant: 'acme',
        },
        receiveCount: 1,
        sentAt: 1_700_000_000_000,
        messageGroupId: undefined,
        envelope: undefined,
      },
    );
    expect(raw).toBe(event.Records[0]);
  });

  it('is the text itself where that is not JSON', () => {
    expect(recordOf(snsEvent([{ message: 'plain' }])).body).toBe('plain');
  });

  it('may wrap an event notification of S3', () => {
    const objects = s3Event([{ key: 'a b', bucket: 'uploads' }]);
    const record = recordOf(snsEvent([{ message: objects }]), s3Envelope());
    expect(record.body).toMatchObject({ bucket: 'uploads', key: 'a b' });
    expect(record.envelope?.id).toBe(recordOf(objects).id);
  });

  it.each([null, {}, { EventSource: 'aws:sns' }, { EventSource: 'aws:sns', Sns: { MessageId: 'n' } }])(
    'is not %j: it is malformed alone',
    (damaged) => {
      const entries = entriesOf({ Records: [...event.Records, damaged] });
      expect(errorIn(entries[0])).toBeUndefined();
      expect(errorIn(entries[1])).toMatchObject({ code: 'BATCHLATCH_MALFORMED_RECORD' });
    },
  );
});

describe('an event notification that S3 delivers', () => {
  const object: S3Object = {
    key: 'orders/2026/a b+ü.json',
    bucket: 'uploads',
    size: 12,
    versionId: 'v',
    sequencer: '0A',
    sentAt: 1_700_000_000_000,
  };

  it('shows the object, its key as it is', () => {
    const event = s3Event([object]);
    expect(event.Records[0]?.s3.object.key).toBe('orders/2026/a+b%2B%C3%BC.json');
    const record = recordOf(event);
    expect(record).toMatchObject({
      source: 's3',
      body: {
        eventName: 'ObjectCreated:Put',
        bucket: 'uploads',
        key: 'orders/2026/a b+ü.json',
        versionId: 'v',
        size: 12,
        sequencer: '0A',
      },
      attributes: { eventName: 'ObjectCreated:Put', region: 'us-east-1' },
      sentAt: 1_700_000_000_000,
      receiveCount: 1,
    });
    expect(JSON.parse(record.rawBody)).toEqual(event.Records[0]?.s3);
  });

  it('has the same id whenever it comes again, and another for whatever else happens', () => {
    const idOf = (members: Partial<S3Object>): string => recordOf(s3Event([{ ...object, ...members }])).id;
    expect(idOf({ sentAt: 0, size: 1 })).toBe(idOf({}));
    const others = [
      { key: 'other' },
      { bucket: 'other' },
      { versionId: 'other' },
      { sequencer: '0B' },
      { eventName: 'ObjectRemoved:Delete' },
    ].map(idOf);
    expect(new Set([idOf({}), ...others]).size).toBe(6);
  });

  it('has an id of its own also if S3 sends no sequencer, as for tags', () => {
    const idOf = (sentAt: number, requestId: string): string => {
      const event = s3Event([{ ...object, eventName: 'ObjectTagging:Put', sentAt }]);
      const [raw] = event.Records as [S3EventRecord];
      Reflect.deleteProperty(raw.s3.object, 'sequencer');
      raw.responseElements['x-amz-request-id'] = requestId;
      return recordOf(event).id;
    };
    expect(idOf(1, 'one')).toBe(idOf(1, 'one'));
    expect(new Set([idOf(1, 'one'), idOf(2, 'one'), idOf(1, 'other')]).size).toBe(3);
  });

  it('is known in logs by the request that caused it, not by its key', () => {
    const event = s3Event([object]);
    const requestId = event.Records[0]?.responseElements['x-amz-request-id'];
    expect(entriesOf(event)[0]?.itemIdentifier).toBe(requestId);
  });

  it.each<[string, (raw: S3EventRecord) => unknown, RegExp]>([
    ['nothing', () => null, /eventSource is undefined/],
    ['another source', (raw) => ({ ...raw, eventSource: 'aws:sqs' }), /eventSource is "aws:sqs"/],
    ['no event name', (raw) => ({ ...raw, eventName: undefined }), /no eventName/],
    ['no bucket', (raw) => ({ ...raw, s3: { object: raw.s3.object } }), /no s3.bucket.name/],
    ['no object', (raw) => ({ ...raw, s3: { bucket: raw.s3.bucket } }), /no s3.object.key/],
    [
      'a key that is not encoded',
      (raw) => ({ ...raw, s3: { ...raw.s3, object: { ...raw.s3.object, key: '100%' } } }),
      /not URL-encoded/,
    ],
  ])('fails a record with %s alone', (_what, damage, message) => {
    const [good, other] = s3Event([object, object]).Records as [S3EventRecord, S3EventRecord];
    const entries = entriesOf({ Records: [good, damage(other)] });
    expect(errorIn(entries[0])).toBeUndefined();
    expect(errorIn(entries[1])).toMatchObject({
      code: 'BATCHLATCH_MALFORMED_RECORD',
      message: expect.stringMatching(message),
    });
  });
});

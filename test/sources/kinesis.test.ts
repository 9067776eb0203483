import { describe, expect, it } from '@jest/globals';
import type { KinesisStreamRecord } from 'aws-lambda';
import { eventBridgeEnvelope } from 'batchlatch';
import { eventBridgeEvent, kinesisEvent, type KinesisMessage, pipesEvent } from 'batchlatch/testing';
import type { KinesisBatchRecord } from '../../src/sources/record.ts';
import { entriesOf, errorIn, recordOf } from '../support/read-record.ts';

describe('a Kinesis record', () => {
  const event = kinesisEvent([
    { body: { orderId: 'A' }, partitionKey: 'acme', sequenceNumber: '7', sentAt: 1_700_000_000_123 },
  ]);

  it.each([
    ['of Lambda', event],
    ['of EventBridge Pipes, which lays flat what Lambda nests', pipesEvent(event)],
  ])('%s shows what the stream says', (_what, given) => {
    const record = recordOf(given) as KinesisBatchRecord;
    const { source, id, body, rawBody, attributes, receiveCount, sentAt, messageGroupId, envelope } = record;
    expect({ source, id, body, rawBody, attributes, receiveCount, sentAt, messageGroupId, envelope }).toEqual(
      {
        source: 'kinesis',
        id: 'arn:aws:kinesis:us-east-1:123456789012:stream/orders:shardId-000000000000:7',
        body: { orderId: 'A' },
        rawBody: '{"orderId":"A"}',
        attributes: {},
        receiveCount: 1,
        sentAt: 1_700_000_000_123,
        messageGroupId: undefined,
        envelope: undefined,
      },
    );
    expect([record.partitionKey, record.sequenceNumber]).toEqual(['acme', '7']);
    expect(record.raw).toBe(Array.isArray(given) ? given[0] : given.Records[0]);
  });

  it.each([
    ['a text', 'text', 'text'],
    ['JSON text', '"text"', 'text'],
    ['half a JSON', '{"a":', '{"a":'],
    ['nothing', '', ''],
    ['umlauts', { name: 'Jürgen 🚀' }, { name: 'Jürgen 🚀' }],
  ])('gives %s as JSON where it is JSON, else as the text', (_what, body, expected) => {
    expect(recordOf(kinesisEvent([{ body }])).body).toEqual(expected);
  });

  it('decodes and parses its data once, so that what a handler adds to it stays', () => {
    const record = recordOf(kinesisEvent([{ body: { orderId: 'A' } }]));
    expect(record.body).toBe(record.body);
  });

  it('does without a time of arrival', () => {
    const [raw] = kinesisEvent([{ body: {} }]).Records as [KinesisStreamRecord];
    const { approximateArrivalTimestamp: _time, ...kinesis } = raw.kinesis;
    expect(recordOf({ Records: [{ ...raw, kinesis }] }).sentAt).toBeUndefined();
  });

  it('is taken out of its envelope where a rule of EventBridge has the stream as its target', () => {
    const body = eventBridgeEvent({ orderId: 'A' }, { id: 'e' });
    expect(recordOf(kinesisEvent([{ body }]), eventBridgeEnvelope())).toMatchObject({
      body: { orderId: 'A' },
      envelope: { id: 'e' },
      rawBody: JSON.stringify(body),
    });
  });
});

describe('a batch of Kinesis', () => {
  const messages: KinesisMessage[] = ['x', 'y', 'x'].map((partitionKey, index) => ({
    body: {},
    partitionKey,
    sequenceNumber: `${index}`,
  }));

  it('names records by sequence number, and runs those of one partition key in one lane', () => {
    expect(
      entriesOf(kinesisEvent(messages)).map(({ itemIdentifier, lane }) => [itemIdentifier, lane]),
    ).toEqual([
      ['0', 'key:x'],
      ['1', 'key:y'],
      ['2', 'key:x'],
    ]);
  });

  it('names records by eventID where a pipe brings them', () => {
    const entries = entriesOf(pipesEvent(kinesisEvent(messages)));
    expect(entries.map(({ itemIdentifier, lane }) => [itemIdentifier, lane])).toEqual([
      ['shardId-000000000000:0', 'key:x'],
      ['shardId-000000000000:1', 'key:y'],
      ['shardId-000000000000:2', 'key:x'],
    ]);
  });

  it.each<[string, (raw: KinesisStreamRecord) => unknown, RegExp, string | undefined, string | undefined]>([
    ['null', () => null, /eventSource is undefined/, undefined, undefined],
    [
      'another source',
      (raw) => ({ ...raw, eventSource: 'aws:sqs' }),
      /eventSource is "aws:sqs"/,
      '1',
      'key:y',
    ],
    ['no payload', (raw) => ({ ...raw, kinesis: null }), /has no sequenceNumber/, undefined, undefined],
    ['no sequence number', without('sequenceNumber'), /has no sequenceNumber/, undefined, 'key:y'],
    ['no partition key', without('partitionKey'), /has no partitionKey/, '1', undefined],
    ['no data', without('data'), /data is undefined, not a string/, '1', 'key:y'],
    ['no eventID', (raw) => ({ ...raw, eventID: '' }), /no eventID or no eventSourceARN/, '1', 'key:y'],
  ])('fails a record with %s alone, by its number and in its lane where it has them', (...given) => {
    const [, damage, message, itemIdentifier, lane] = given;
    const [good, other, last] = kinesisEvent(messages).Records as [
      KinesisStreamRecord,
      KinesisStreamRecord,
      KinesisStreamRecord,
    ];
    const entries = entriesOf({ Records: [good, damage(other), last] });
    expect(errorIn(entries[1])).toMatchObject({
      code: 'BATCHLATCH_MALFORMED_RECORD',
      message: expect.stringMatching(message),
    });
    expect(entries[1]).toMatchObject({ itemIdentifier, lane });
    expect([errorIn(entries[0]), errorIn(entries[2])]).toEqual([undefined, undefined]);
  });
});

function without(member: string) {
  return (raw: KinesisStreamRecord): unknown => ({
    ...raw,
    kinesis: { ...raw.kinesis, [member]: undefined },
  });
}

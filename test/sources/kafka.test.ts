import { describe, expect, it } from '@jest/globals';
import {
  kafka,
  type KafkaBatchRecord,
  type KafkaOptions,
  messageId,
  payloadHash,
  type SourceBatch,
} from 'batchlatch';
import { kafkaEvent } from 'batchlatch/testing';
import { entriesOf, errorIn, recordIn, recordOf } from '../support/read-record.ts';

const CLUSTER = 'arn:aws:kafka:us-east-1:123456789012:cluster/demo/11111111-2222-3333-4444-555555555555-2';

describe('a Kafka record', () => {
  it('shows what the topic says, its key, value and headers decoded', () => {
    const event = kafkaEvent([
      {
        topic: 'orders',
        partition: 3,
        offset: 15,
        key: 'acme',
        value: { orderId: 'Ä' },
        headers: { tenant: 'acme', city: 'Zürich' },
        sentAt: 1_700_000_000_000,
      },
    ]);
    const record = recordOf(event) as KafkaBatchRecord;
    const { source, id, body, rawBody, attributes, receiveCount, sentAt, messageGroupId, envelope } = record;
    expect({ source, id, body, rawBody, attributes, receiveCount, sentAt, messageGroupId, envelope }).toEqual(
      {
        source: 'kafka',
        id: `${CLUSTER}:orders-3:15`,
        body: { orderId: 'Ä' },
        rawBody: '{"orderId":"Ä"}',
        attributes: { tenant: 'acme', city: 'Zürich' },
        receiveCount: 1,
        sentAt: 1_700_000_000_000,
        messageGroupId: undefined,
        envelope: undefined,
      },
    );
    expect([record.topic, record.partition, record.offset, record.key]).toEqual(['orders', 3, 15, 'acme']);
    expect(record.raw).toBe(event.records['orders-3']?.[0]);
  });

  it('reads the bytes of headers, which Lambda gives with a sign too', () => {
    const event = kafkaEvent([{ value: {} }]);
    event.records['orders-0']![0]!.headers = [{ city: [90, -61, -68] }, { ['__proto__']: [120] }];
    expect(Object.entries(recordOf(event).attributes)).toEqual([
      ['city', 'Zü'],
      ['__proto__', 'x'],
    ]);
  });

  it('leaves out a header whose value is null, as Kafka Connect writes them', () => {
    const event = kafkaEvent([{ value: {}, headers: { city: 'Zürich' } }]);
    event.records['orders-0']![0]!.headers.push({ reason: null as never });
    expect(recordOf(event).attributes).toEqual({ city: 'Zürich' });
  });

  it('does without a key, headers and a time', () => {
    const event = kafkaEvent([{ value: 'text' }]);
    const { key: _key, headers: _headers, timestamp: _timestamp, ...bare } = event.records['orders-0']![0]!;
    const record = recordOf({ ...event, records: { 'orders-0': [bare] } }) as KafkaBatchRecord;
    expect([record.key, record.attributes, record.sentAt, record.body]).toEqual([
      undefined,
      {},
      undefined,
      'text',
    ]);
  });

  it('has no time where the producer sent none, which Kafka shows as -1', () => {
    const event = kafkaEvent([{ value: {}, sentAt: -1 }]);
    expect(recordOf(event).sentAt).toBeUndefined();
  });

  it('has the body null where it is a tombstone, of which no payload hash can be made', () => {
    const record = recordOf(kafkaEvent([{ key: 'acme', value: undefined }]));
    expect([record.body, record.rawBody]).toEqual([null, '']);
    expect(() => payloadHash()(record)).toThrow('The record has no value (a tombstone)');
    expect(messageId()(record)).toBe(`${CLUSTER}:orders-0:0`);
  });

  it('makes no payload hash of bytes that are no UTF-8', () => {
    const bytes = new Uint8Array([0xff, 0xfe]);
    expect(() => payloadHash()(recordOf(kafkaEvent([{ value: bytes }])))).toThrow('The payload is not UTF-8');
    expect(payloadHash()(recordOf(kafkaEvent([{ value: '"\uFFFD"' }])))).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is of a self-managed cluster by its brokers, in whatever order they come', () => {
    const event = kafkaEvent([{ value: {} }], { selfManaged: true });
    const other = { ...event, bootstrapServers: event.bootstrapServers.split(',').toReversed().join(', ') };
    expect(recordOf(event).id).toBe(
      'b-1.demo.kafka.us-east-1.amazonaws.com:9092,b-2.demo.kafka.us-east-1.amazonaws.com:9092:orders-0:0',
    );
    expect(recordOf(other).id).toBe(recordOf(event).id);
  });
});

describe('a batch of Kafka', () => {
  const event = kafkaEvent([
    { partition: 0, key: 'x', value: 1 },
    { partition: 0, key: 'y', value: 2 },
    { partition: 1, key: 'x', value: 3 },
    { partition: 1, value: 4 },
  ]);

  it('runs the records of one partition in one lane', () => {
    expect(entriesOf(event).map(({ itemIdentifier, lane }) => [itemIdentifier, lane])).toEqual([
      ['orders-0:0', 'partition:orders-0'],
      ['orders-0:1', 'partition:orders-0'],
      ['orders-1:0', 'partition:orders-1'],
      ['orders-1:1', 'partition:orders-1'],
    ]);
  });

  it('runs those of one key in one lane on request, and those without a key by themselves', () => {
    expect(batchOf(event, { lanes: 'key' }).entries.map(({ lane }) => lane)).toEqual([
      'key:orders-0:eA==',
      'key:orders-0:eQ==',
      'key:orders-1:eA==',
      undefined,
    ]);
  });

  it('is answered with the partition and the offset of each failure', () => {
    const { entries, answer } = batchOf(event);
    const handedBack = entries.slice(1, 3).map(({ itemIdentifier }) => ({
      itemIdentifier,
      nearestIdentifier: itemIdentifier,
      error: () => undefined,
    }));
    expect(answer(handedBack)).toEqual({
      batchItemFailures: [
        { itemIdentifier: { partition: 'orders-0', offset: 1 } },
        { itemIdentifier: { partition: 'orders-1', offset: 0 } },
      ],
    });
  });

  it.each<[string, object | null, RegExp, string | undefined]>([
    ['null', null, /has no offset/, undefined],
    ['no offset', { offset: undefined }, /has no offset/, undefined],
    ['an offset that is a text', { offset: '7' }, /has no offset/, undefined],
    ['another topic', { topic: 'refunds' }, /topic and partition differ from orders-0/, 'orders-0:0'],
    ['no partition', { partition: undefined }, /topic and partition differ/, 'orders-0:0'],
    ['an object for a value', { value: {} }, /its value is object, not a string/, 'orders-0:0'],
    ['a number for a key', { key: 7 }, /its key is number, not a string/, 'orders-0:0'],
  ])('fails a record with %s alone, in the lane of its partition', (_what, members, message, identifier) => {
    const [good, other] = kafkaEvent([{ value: 1 }, { value: 2 }]).records['orders-0']!;
    const bad = members && { ...good, ...members };
    const entries = entriesOf({ ...event, records: { 'orders-0': [bad, other], 'orders-1': 'damaged' } });
    expect(errorIn(entries[0])).toMatchObject({
      code: 'BATCHLATCH_MALFORMED_RECORD',
      message: expect.stringMatching(message),
    });
    expect(entries[0]).toMatchObject({ itemIdentifier: identifier, lane: 'partition:orders-0' });
    expect(recordIn(entries[1]).body).toBe(2);
    expect(entries).toHaveLength(2);
  });

  it.each([
    [{ lanes: 'topic' }, "kafka: Expected `lanes` to be 'partition' or 'key', got `'topic'` (string)"],
    [{ lane: 'key' }, 'kafka: Unknown option `lane`; known options are lanes'],
  ])('refuses the options %j at start', (options, message) => {
    expect(() => kafka(options as KafkaOptions)).toThrow(
      expect.objectContaining({ code: 'BATCHLATCH_CONFIGURATION', message }),
    );
  });
});

function batchOf(event: unknown, options?: KafkaOptions): SourceBatch {
  const batch = kafka(options).read(event);
  if (batch === undefined) throw new Error('not recognised');
  return batch;
}

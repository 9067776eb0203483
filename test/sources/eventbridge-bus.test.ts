import { describe, expect, it } from '@jest/globals';
import {
  eventBridgeBus,
  type EventBridgeBusBatchRecord,
  type EventBridgeBusOptions,
  messageId,
  type SourceBatch,
} from 'batchlatch';
import { eventBridgeBusEvent, eventBridgeEvent } from 'batchlatch/testing';
import { jmesPath } from 'batchlatch/jmespath';
import { allOrNothing } from '../../src/sources/answers.ts';
import { entriesOf, errorIn, recordIn, recordOf } from '../support/read-record.ts';

const published = {
  body: { orderId: 'A' },
  eventId: 'e',
  eventGroupId: 'acme',
  sequenceNumber: '10000000000000012000',
  sentAt: 1_700_000_000_000,
};

describe('an event of a custom event bus', () => {
  it('shows its detail and its metadata where PutEvents published it', () => {
    const [raw] = eventBridgeBusEvent([published]);
    expect(recordOf([raw])).toEqual({
      source: 'eventbridge-bus',
      id: 'e',
      body: { orderId: 'A' },
      rawBody: '{"orderId":"A"}',
      attributes: {
        source: 'shop.orders',
        'detail-type': 'OrderPlaced',
        account: '123456789012',
        region: 'us-east-1',
      },
      receiveCount: 1,
      sentAt: 1_700_000_000_000,
      messageGroupId: undefined,
      envelope: undefined,
      raw,
      eventGroupId: 'acme',
      sequenceNumber: '10000000000000012000',
      isReplay: false,
    });
  });

  it('shows its data and the metadata of its publisher where PutRawEvents did', () => {
    const metadata = { tenant: 'acme', odd: 7 as unknown as string };
    const [raw] = eventBridgeBusEvent([{ ...published, raw: true, metadata }]);
    expect(recordOf([raw])).toMatchObject({
      id: 'e',
      body: { orderId: 'A' },
      attributes: { tenant: 'acme' },
    });
  });

  it('is data where PutRawEvents published something that looks like an event', () => {
    const body = eventBridgeEvent({ orderId: 'A' });
    expect(recordOf(eventBridgeBusEvent([{ ...published, body, raw: true }]))).toMatchObject({
      id: 'e',
      body,
    });
  });

  it('says of a replay that it is one, and keeps its key', () => {
    const [live, replay] = [false, true].map((isReplay) =>
      recordOf(eventBridgeBusEvent([{ ...published, raw: true, isReplay }])),
    ) as [EventBridgeBusBatchRecord, EventBridgeBusBatchRecord];
    expect([live.isReplay, replay.isReplay]).toEqual([false, true]);
    expect(messageId()(replay)).toBe(messageId()(live));
    const [raw] = eventBridgeBusEvent([{ ...published, raw: true }]) as [{ SystemMetadata: object }];
    const replayed = { ...raw, SystemMetadata: { ...raw.SystemMetadata, 'aws:DeliveryType': 'REPLAY' } };
    const whole = jmesPath('[Data, SystemMetadata]');
    expect(whole(recordOf([replayed]))).toBe(whole(recordOf([raw])));
  });

  it('is known by the id of its envelope, and says no more, where the transformer is RAW', () => {
    const raw = eventBridgeEvent({ orderId: 'A' }, { id: 'e', time: '2026-01-02T03:04:05Z' });
    expect(recordOf([raw])).toMatchObject({
      source: 'eventbridge-bus',
      id: 'e',
      body: { orderId: 'A' },
      sentAt: Date.UTC(2026, 0, 2, 3, 4, 5),
      eventGroupId: undefined,
      sequenceNumber: undefined,
      isReplay: undefined,
    });
  });

  it.each([{ orderId: 'A' }, 'AQID', 7, null, [1]])('may be bare data where the bus is named: %j', (data) => {
    const [entry] = batchOf([data]).entries;
    const record = recordIn(entry);
    expect(record).toMatchObject({ id: '', body: data, attributes: {} });
    expect(() => messageId()(record)).toThrow('a bus delivered bare data: set `key`');
  });

  it('does without metadata that AWS leaves out where it has no value', () => {
    const record = recordOf([{ Data: 1, SystemMetadata: { 'aws:DeliveryType': 'LIVE' } }]);
    expect(record).toMatchObject({ id: '', body: 1, eventGroupId: undefined, sentAt: undefined });
  });

  it('has no attributes where its metadata is null, and leaves the others of its batch alone', () => {
    const SystemMetadata = { 'aws:DeliveryType': 'LIVE' };
    const { entries } = batchOf([
      { Data: 1, Metadata: null, SystemMetadata },
      eventBridgeBusEvent([published])[0],
    ]);
    expect(entries.map((entry) => recordIn(entry).id)).toEqual(['', 'e']);
    expect(recordIn(entries[0]).attributes).toEqual({});
  });
});

describe('a batch of a custom event bus', () => {
  it('is answered by the success of the invocation, also with one event alone', () => {
    const [one] = eventBridgeBusEvent([published]);
    for (const event of [[one], one]) {
      const { entries, answer } = batchOf(event);
      expect(answer).toBe(allOrNothing);
      expect(entries).toMatchObject([{ itemIdentifier: 'e' }]);
      expect(recordOf(event).source).toBe('eventbridge-bus');
    }
  });

  it('runs the events of one group in one lane, unless it is told not to', () => {
    const event = eventBridgeBusEvent(['x', 'y', 'x'].map((eventGroupId) => ({ body: {}, eventGroupId })));
    const lanes = (options?: EventBridgeBusOptions): unknown[] =>
      batchOf(event, options).entries.map(({ lane }) => lane);
    expect(lanes()).toEqual(['event-group:x', 'event-group:y', 'event-group:x']);
    expect(lanes({ lanes: 'none' })).toEqual([undefined, undefined, undefined]);
  });

  it('fails what is no event alone where nobody named the bus', () => {
    const entries = entriesOf([...eventBridgeBusEvent([published]), { orderId: 'B' }]);
    expect(recordIn(entries[0]).id).toBe('e');
    expect(errorIn(entries[1])).toMatchObject({
      code: 'BATCHLATCH_MALFORMED_RECORD',
      message: expect.stringContaining('`source: eventBridgeBus()` and a `key`'),
    });
  });

  it('refuses options that it does not know', () => {
    expect(() => eventBridgeBus({ lanes: 'group' as 'none' })).toThrow(
      "eventBridgeBus: Expected `lanes` to be 'event-group' or 'none', got `'group'` (string)",
    );
  });
});

function batchOf(event: unknown, options?: EventBridgeBusOptions): SourceBatch {
  const batch = eventBridgeBus(options).read(event);
  if (batch === undefined) throw new Error('not recognised');
  return batch;
}

import { describe, expect, it } from '@jest/globals';
import { eventBridge, type SourceBatch } from 'batchlatch';
import { eventBridgeEvent } from 'batchlatch/testing';
import { allOrNothing } from '../../src/sources/answers.ts';
import { isEventBridgeEvent } from '../../src/sources/eventbridge.ts';

describe('an event delivered by EventBridge', () => {
  const event = eventBridgeEvent(
    { orderId: 'A' },
    { id: 'e', time: '2026-01-02T03:04:05Z', 'detail-type': 'OrderPlaced', source: 'shop' },
  );

  it('is one record, answered by the success of the invocation', () => {
    const { entries, answer } = batchOf(event);
    expect(answer).toBe(allOrNothing);
    expect(entries).toMatchObject([{ itemIdentifier: 'e', lane: undefined }]);
    expect(entries[0]?.read).toEqual({
      record: {
        source: 'eventbridge',
        id: 'e',
        body: { orderId: 'A' },
        rawBody: '{"orderId":"A"}',
        attributes: {
          source: 'shop',
          'detail-type': 'OrderPlaced',
          account: '123456789012',
          region: 'us-east-1',
        },
        receiveCount: 1,
        sentAt: Date.UTC(2026, 0, 2, 3, 4, 5),
        messageGroupId: undefined,
        envelope: undefined,
        raw: event,
      },
    });
  });

  it('does without a time that can be read, and without a detail', () => {
    const { entries } = batchOf({ ...event, time: 'soon', detail: undefined });
    expect(entries[0]?.read).toMatchObject({
      record: { sentAt: undefined, body: undefined, rawBody: 'null' },
    });
  });

  it.each([
    ['the event itself', {}, true],
    ['a detail of null', { detail: null }, true],
    ['no id', { id: undefined }, false],
    ['an empty id', { id: '' }, false],
    ['no source', { source: undefined }, false],
    ['no detail-type', { 'detail-type': undefined }, false],
  ])('is recognised by what AWS always sends: %s', (_what, members, expected) => {
    expect(isEventBridgeEvent({ ...event, ...members })).toBe(expected);
  });

  it.each([null, undefined, 'text', 7, [], {}, { detail: {} }])('is not %j', (value) => {
    expect(isEventBridgeEvent(value)).toBe(false);
  });
});

function batchOf(event: unknown): SourceBatch {
  const batch = eventBridge().read(event);
  if (batch === undefined) throw new Error('not recognised');
  return batch;
}

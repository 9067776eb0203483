import type { EventBridgeEvent } from 'aws-lambda';
import type { EventBridgeBatchRecord } from './record.ts';
import type { SourceBatch } from './source-batch.ts';

/** Whether a value is an EventBridge event: the members that AWS documents as always present. */
export function isEventBridgeEvent(value: unknown): value is EventBridgeEvent<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const event = value as Partial<EventBridgeEvent<string, unknown>>;
  return (
    typeof event.id === 'string' &&
    event.id !== '' &&
    typeof event.source === 'string' &&
    typeof event['detail-type'] === 'string' &&
    'detail' in event
  );
}

/** One event, delivered by EventBridge to the function itself: there is no list to answer with. */
export function eventBridgeBatch(raw: EventBridgeEvent<string, unknown>): SourceBatch {
  const sentAt = Date.parse(raw.time);
  const record: EventBridgeBatchRecord = {
    source: 'eventbridge',
    id: raw.id,
    body: raw.detail,
    get rawBody() {
      return JSON.stringify(raw.detail) ?? 'null';
    },
    attributes: {
      source: raw.source,
      'detail-type': raw['detail-type'],
      account: raw.account,
      region: raw.region,
    },
    receiveCount: 1,
    sentAt: Number.isNaN(sentAt) ? undefined : sentAt,
    messageGroupId: undefined,
    envelope: undefined,
    raw,
  };
  return {
    entries: [{ itemIdentifier: raw.id, lane: undefined, read: { record } }],
    answer: 'all-or-nothing',
    comesAgainSoon: true,
  };
}

import type { EventBridgeEvent } from 'aws-lambda';
import { allOrNothing } from './answers.ts';
import { epochMsOfText } from './epoch.ts';
import { attributesOf, isEventBridgeEvent } from './eventbridge-event.ts';
import type { EventBridgeBatchRecord } from './record.ts';
import type { Source, SourceEntry } from './source.ts';

/**
 * EventBridge, where a rule has the function as its target: one event, delivered to the function itself. It takes no
 * list for an answer: a failure rejects. Events of the custom event bus of 2026 are those of `eventBridgeBus()`.
 *
 * @typeParam Body The type of the event's detail.
 */
export function eventBridge<Body = unknown>(): Source<EventBridgeBatchRecord<Body>> {
  const source: Source<EventBridgeBatchRecord> = {
    name: 'EventBridge',
    read(event) {
      if (!isEventBridgeEvent(event)) return undefined;
      return { entries: [eventBridgeEntry(event)], answer: allOrNothing, comesAgainSoon: true };
    },
  };
  return source as Source<EventBridgeBatchRecord<Body>>;
}

function eventBridgeEntry(raw: EventBridgeEvent<string, unknown>): SourceEntry<EventBridgeBatchRecord> {
  const record: EventBridgeBatchRecord = {
    source: 'eventbridge',
    id: raw.id,
    body: raw.detail,
    get rawBody() {
      return JSON.stringify(raw.detail) ?? 'null';
    },
    attributes: attributesOf(raw),
    receiveCount: 1,
    sentAt: epochMsOfText(raw.time),
    messageGroupId: undefined,
    envelope: undefined,
    raw,
  };
  return { itemIdentifier: raw.id, lane: undefined, read: { record } };
}

import type { EventBridgeEvent } from 'aws-lambda';
import { isObject } from '../base/is-object.ts';
import { allOrNothing } from './answers.ts';
import type { EnvelopeStep } from './decode-step.ts';
import { envelopeStep } from './envelope-steps.ts';
import { MalformedRecordError } from './errors.ts';
import { epochMsOfText } from './event-records.ts';
import type { EventBridgeBatchRecord } from './record.ts';
import type { Source, SourceEntry } from './source.ts';

/**
 * EventBridge, where a rule has the function as its target: one event, delivered to the function itself. It takes no
 * list for an answer: a failure rejects. Events of the custom event bus of 2026 are those of `eventBridgeBus()`.
 *
 * @typeParam Body The type of the event's detail.
 */
export function eventBridge<Body = unknown>(): Source<EventBridgeBatchRecord<Body>> {
  return {
    name: 'EventBridge',
    read(event) {
      if (!isEventBridgeEvent(event)) return undefined;
      return { entries: [eventBridgeEntry(event)], answer: allOrNothing, comesAgainSoon: true };
    },
  } satisfies Source<EventBridgeBatchRecord> as Source<EventBridgeBatchRecord<Body>>;
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

/** Whether a value is an EventBridge event: the members that AWS documents as always present. */
export function isEventBridgeEvent(value: unknown): value is EventBridgeEvent<string, unknown> {
  if (!isObject(value)) return false;
  const event = value as Partial<EventBridgeEvent<string, unknown>>;
  return (
    typeof event.id === 'string' &&
    event.id !== '' &&
    typeof event.source === 'string' &&
    typeof event['detail-type'] === 'string' &&
    'detail' in event
  );
}

/** What its record, or an envelope, says of an event. */
export function attributesOf(event: EventBridgeEvent<string, unknown>): Record<string, string> {
  const { source, account, region, 'detail-type': detailType } = event;
  return { source, 'detail-type': detailType, account, region };
}

/**
 * A step of `decode`: takes the `detail` out of an EventBridge event, as a rule puts it into a queue or a stream. The body
 * is the detail, and the key by default the event's id.
 */
export function eventBridgeEnvelope(): EnvelopeStep {
  return envelopeStep((value) => {
    if (!isEventBridgeEvent(value)) {
      throw new MalformedRecordError(
        "The body is not an EventBridge event (an object with id, source, 'detail-type' and detail), as eventBridgeEnvelope() expects",
      );
    }
    const { id, detail } = value;
    return { envelope: { id, attributes: attributesOf(value) }, inner: { value: detail } };
  });
}

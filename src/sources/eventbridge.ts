import type { EventBridgeEvent } from 'aws-lambda';
import { isObject } from '../base/is-object.ts';
import { allOrNothing } from './answers.ts';
import type { EnvelopeStep } from './decode-step.ts';
import { envelopeStep } from './envelope-steps.ts';
import { MalformedRecordError } from './errors.ts';
import { epochMsOfText, textsOf } from './event-records.ts';
import type { EventBridgeBatchRecord } from './record.ts';
import type { Source, SourceEntry } from './source.ts';

/**
 * Returns the source for EventBridge rules that target the function. Each invocation is one event.
 * EventBridge reads no list of failures: a failure rejects the invocation. For custom event buses of 2026,
 * use `eventBridgeBus()`.
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

/** Checks the members that AWS documents as always present. */
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

export function attributesOf(event: EventBridgeEvent<string, unknown>): Record<string, string> {
  const { source, account, region, 'detail-type': detailType } = event;
  // Events that a sender made itself, in a queue or on a bus, may have any account and region.
  return textsOf({ source, 'detail-type': detailType, account, region });
}

/**
 * Returns a step of `decode` that unwraps an EventBridge event which a rule sent to a queue or a stream. The
 * body becomes the event's `detail`; the default key is the event's ID.
 */
export function eventBridgeEnvelope(): EnvelopeStep {
  return envelopeStep((value) => {
    if (!isEventBridgeEvent(value)) {
      throw new MalformedRecordError(
        "The body is not an EventBridge event (an object with id, source, 'detail-type' and detail), " +
          'as eventBridgeEnvelope() expects',
      );
    }
    const { id, detail } = value;
    return { envelope: { id, attributes: attributesOf(value) }, inner: { value: detail } };
  });
}

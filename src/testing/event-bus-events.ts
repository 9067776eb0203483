import { randomUUID } from 'node:crypto';
import { aBoolean, anObject, aString, checkOptionsOf, oneOf } from '../options/check-options.ts';
import { aFiniteNumber, checkRecords } from './check-members.ts';
import { eventBridgeEvent } from './events.ts';

/** An event of a custom event bus, as a test specifies it; other members are filled in. */
export interface EventBusMessage {
  /** The `detail` of an event of `PutEvents`; with `raw`, the data of `PutRawEvents` unchanged. */
  readonly body: unknown;
  /** The event id. Default: random. */
  readonly eventId?: string;
  /** The event group. Default: a new one for each event, as in EventBridge. */
  readonly eventGroupId?: string;
  /** The sequence number. Default: 1000 more than the previous event's. */
  readonly sequenceNumber?: string;
  /** Whether the event is replayed. Default: false. */
  readonly isReplay?: boolean;
  /** Whether the event was published with `PutRawEvents`. Default: false. */
  readonly raw?: boolean;
  /** The metadata of `PutRawEvents`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** When the event was sent, in epoch milliseconds. Default: now. */
  readonly sentAt?: number;
}

/** Options of `eventBridgeBusEvent`. */
export interface EventBusEventOptions {
  /** The subscriber's transformer. Default `WITH_METADATA`. */
  readonly transformer?: 'WITH_METADATA' | 'RAW';
}

const FIRST_SEQUENCE_NUMBER = 10_000_000_000_000_001_000n;

/**
 * Returns a batch of events as a subscriber of a custom event bus (`AWS::EventsV2`) delivers it.
 *
 * @param messages The events.
 * @param options How the bus delivers them.
 * @throws `ConfigurationError` for an unknown or invalid member or option.
 */
export function eventBridgeBusEvent(
  messages: readonly EventBusMessage[],
  options: EventBusEventOptions = {},
): unknown[] {
  checkRecords('eventBridgeBusEvent', messages, {
    content: 'body',
    checks: {
      eventId: aString(),
      eventGroupId: aString(),
      sequenceNumber: aString(),
      isReplay: aBoolean(),
      raw: aBoolean(),
      metadata: anObject(),
      sentAt: aFiniteNumber(),
    },
  });
  checkOptionsOf('eventBridgeBusEvent', options, { transformer: oneOf('WITH_METADATA', 'RAW') });
  return messages.map((message, index) => {
    const { body, raw = false, metadata = {}, eventId = randomUUID(), isReplay = false } = message;
    const sentAt = new Date(message.sentAt ?? Date.now()).toISOString();
    const published = raw ? body : eventBridgeEvent(body, { id: `envelope-${eventId}` });
    if (options.transformer === 'RAW') return published;
    const event = eventBridgeEvent(undefined);
    return {
      Data: published,
      Metadata: raw ? metadata : {},
      SystemMetadata: {
        ContentType: raw ? 'application/json' : 'application/eventbridge+json',
        DeduplicationId: randomUUID(),
        EventGroupId: message.eventGroupId ?? randomUUID(),
        'aws:DeliveryType': isReplay ? 'REPLAY' : 'LIVE',
        'aws:EventId': eventId,
        'aws:IngestionTime': sentAt,
        'aws:SequenceNumber':
          message.sequenceNumber ?? String(FIRST_SEQUENCE_NUMBER + BigInt(index) * 1_000n),
        ...(!raw && { 'aws:Source': event.source, 'aws:DetailType': event['detail-type'] }),
      },
    };
  });
}

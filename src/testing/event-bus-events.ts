import { randomUUID } from 'node:crypto';
import { aBoolean, anObject, aString, oneOf } from '../options/check-options.ts';
import { aFiniteNumber, checkBuilderOptions, checkRecords } from './check-members.ts';
import { eventBridgeEvent } from './events.ts';

/** What a test specifies about one event of a custom event bus; the rest is filled in. */
export interface EventBusMessage {
  /** The `detail` of an event of `PutEvents`; with `raw` the data of `PutRawEvents`, as it is. */
  readonly body: unknown;
  /** Default: a random one. */
  readonly eventId?: string;
  /** Default: a group of its own, as EventBridge makes it. */
  readonly eventGroupId?: string;
  /** Default: 1000 more than that of the event before it. */
  readonly sequenceNumber?: string;
  /** Default: false. */
  readonly isReplay?: boolean;
  /** Published with `PutRawEvents`. Default: false. */
  readonly raw?: boolean;
  /** Of `PutRawEvents`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Epoch milliseconds. Default: now. */
  readonly sentAt?: number;
}

/** How the bus delivers the events. */
export interface EventBusEventOptions {
  /** The transformer of the subscriber. Default `WITH_METADATA`. */
  readonly transformer?: 'WITH_METADATA' | 'RAW';
}

const FIRST_SEQUENCE_NUMBER = 10_000_000_000_000_001_000n;

/**
 * A batch of events as a subscriber of a custom event bus (`AWS::EventsV2`) delivers it to a function.
 *
 * @param messages What is said of each event.
 * @param options How the bus delivers them.
 * @throws `ConfigurationError` for a member or an option that is unknown or impossible.
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
  checkBuilderOptions('eventBridgeBusEvent', options, { transformer: oneOf('WITH_METADATA', 'RAW') });
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

import { randomUUID } from 'node:crypto';
import { eventBridgeEvent } from './events.ts';

/** What a test specifies about one event of a custom event bus; the rest is filled in. */
export interface EventBusMessage {
  /** The `detail` of an event of `PutEvents`; with `raw` the data of `PutRawEvents`. */
  readonly data: unknown;
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
 * @param options Which bus they come from.
 * @param messages What is said of each event.
 */
export function eventBridgeBusEvent(
  messages: readonly EventBusMessage[],
  { transformer = 'WITH_METADATA' }: EventBusEventOptions = {},
): unknown[] {
  return messages.map((message, index) => {
    const { data, raw = false, metadata = {}, eventId = randomUUID(), isReplay = false } = message;
    const sentAt = new Date(message.sentAt ?? Date.now()).toISOString();
    const published = raw ? data : eventBridgeEvent(data, { id: `envelope-${eventId}` });
    if (transformer === 'RAW') return published;
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

import { allOrNothing } from './answers.ts';
import { checkOptionsOf, oneOf } from '../options/check-options.ts';
import { epochMsOfText, malformed, membersOf, textOf, textsOf } from './event-records.ts';
import { attributesOf, isEventBridgeEvent } from './eventbridge.ts';
import type { EventBridgeBusBatchRecord } from './record.ts';
import type { Source, SourceEntry } from './source.ts';
import { isObject } from '../base/is-object.ts';

/** Options of `eventBridgeBus()`. */
export interface EventBridgeBusOptions {
  /**
   * Which events run in order. `event-group`: events of one `EventGroupId`, which needs the transformer
   * `WITH_METADATA` on the subscriber. `none`: no order, as for a subscriber of the type `UNORDERED`. Default
   * `event-group`.
   */
  readonly lanes?: 'event-group' | 'none';
}

/**
 * Returns the source for an EventBridge custom event bus of 2026 (`AWS::EventsV2`) whose subscriber targets
 * the function. An event is a list of up to 500 events, or a single event if `MaxBatchSize` is 1. EventBridge
 * reads no list of failures: one failure rejects the invocation, and all events are delivered again. Those
 * completed do not run again.
 *
 * If set as `source`, it reads whatever the transformer delivers. Bare data (`RAW` of `PutRawEvents`, or
 * `JSONATA`) carries no ID, so it needs a `key`. Throws a `ConfigurationError` for invalid options.
 *
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-custom-bus-target-lambda.html
 *
 * @typeParam Body The type of the record's body.
 * @param options Which events run in order.
 */
export function eventBridgeBus<Body = unknown>(
  options: EventBridgeBusOptions = {},
): Source<EventBridgeBusBatchRecord<Body>> {
  checkOptionsOf('eventBridgeBus', options, { lanes: oneOf('event-group', 'none') });
  return busSource(options.lanes ?? 'event-group', () => true) as Source<EventBridgeBusBatchRecord<Body>>;
}

export const FOR_BARE_DATA =
  'for bare data from a custom event bus, set `source: eventBridgeBus()` and a `key`';

/** Returns the bus source for `allSources()`: it ignores bare data, which cannot be recognised. */
export function recognisedEventBridgeBus(): Source<EventBridgeBusBatchRecord> {
  return busSource('event-group', isBusEvent);
}

type Lanes = NonNullable<EventBridgeBusOptions['lanes']>;

function busSource(lanes: Lanes, isOurs: (value: unknown) => boolean): Source<EventBridgeBusBatchRecord> {
  return {
    name: 'an EventBridge custom event bus',
    read(event) {
      const values: readonly unknown[] = Array.isArray(event) ? event : [event];
      const isKnown = Array.isArray(event) && event.length > 0 ? values.some(isOurs) : isOurs(event);
      if (!isKnown) return undefined;
      return {
        entries: values.map((value) => busEntry(value, lanes, isOurs)),
        answer: allOrNothing,
        comesAgainSoon: true,
      };
    },
  };
}

/** `WITH_METADATA`: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-custom-bus-addressing.html */
interface WithMetadata {
  readonly Data: unknown;
  readonly Metadata?: Readonly<Record<string, unknown>> | null;
  /** All values are strings; only `aws:DeliveryType` is always present. */
  readonly SystemMetadata: Readonly<Record<string, unknown>>;
}

type Members = Readonly<Record<string, unknown>>;

function isWithMetadata(value: unknown): value is WithMetadata {
  if (!isObject(value)) return false;
  const { SystemMetadata: system }: { readonly SystemMetadata?: unknown } = value;
  return 'Data' in value && typeof membersOf<Members>(system)['aws:DeliveryType'] === 'string';
}

function isBusEvent(value: unknown): boolean {
  return isWithMetadata(value) || isEventBridgeEvent(value);
}

function busEntry(
  raw: unknown,
  lanes: Lanes,
  isOurs: (value: unknown) => boolean,
): SourceEntry<EventBridgeBusBatchRecord> {
  if (!isOurs(raw)) {
    return malformed(
      'event of the bus',
      {},
      `it has neither Data and SystemMetadata nor the members of an EventBridge event; ${FOR_BARE_DATA}`,
    );
  }
  const record = busRecord(raw);
  const { id, eventGroupId } = record;
  const lane =
    lanes === 'event-group' && eventGroupId !== undefined ? `event-group:${eventGroupId}` : undefined;
  return { itemIdentifier: id === '' ? undefined : id, lane, read: { record } };
}

function busRecord(raw: unknown): EventBridgeBusBatchRecord {
  const {
    Data: data,
    Metadata: metadata,
    SystemMetadata: system = {},
  }: Partial<WithMetadata> = isWithMetadata(raw) ? raw : { Data: raw };
  const contentType = textOf(system['ContentType']);
  // Raw data may have the shape of an event; the content type, if present, tells them apart.
  const isEvent = contentType === undefined || contentType === 'application/eventbridge+json';
  const event = isEvent && isEventBridgeEvent(data) ? data : undefined;
  const body = event === undefined ? data : event.detail;
  const deliveryType = textOf(system['aws:DeliveryType']);
  return {
    source: 'eventbridge-bus',
    id: textOf(system['aws:EventId']) ?? event?.id ?? '',
    body,
    get rawBody() {
      return JSON.stringify(body) ?? 'null';
    },
    attributes: { ...textsOf(metadata), ...(event && attributesOf(event)) },
    receiveCount: 1,
    sentAt: epochMsOfText(system['aws:IngestionTime'] ?? event?.time),
    messageGroupId: undefined,
    envelope: undefined,
    raw,
    eventGroupId: textOf(system['EventGroupId']),
    sequenceNumber: textOf(system['aws:SequenceNumber']),
    isReplay: deliveryType === undefined ? undefined : deliveryType === 'REPLAY',
  };
}

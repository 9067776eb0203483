import { allOrNothing } from './answers.ts';
import { checkOptionsOf, oneOf } from '../options/check-options.ts';
import { epochMsOfText, malformed, membersOf, textOf } from './event-records.ts';
import { attributesOf, isEventBridgeEvent } from './eventbridge.ts';
import type { EventBridgeBusBatchRecord } from './record.ts';
import type { Source, SourceEntry } from './source.ts';
import { isObject } from '../base/is-object.ts';

/** Options of `eventBridgeBus()`. */
export interface EventBridgeBusOptions {
  /**
   * Which events run in their order. `event-group`: those of one `EventGroupId`, where the subscriber's transformer is
   * `WITH_METADATA`. `none`: each by itself, which is enough for a subscriber of the type `UNORDERED`. Default
   * `event-group`.
   */
  readonly lanes?: 'event-group' | 'none';
}

/**
 * A custom event bus of EventBridge of 2026 (`AWS::EventsV2`), whose subscriber has the function as its target: a list of
 * up to 500 events, or one event where `MaxBatchSize` is 1. EventBridge takes no list for an answer: a failure rejects,
 * all of them come again, and what was done is not run again.
 *
 * Named as `source`, it reads whatever the transformer delivers. Bare data (`RAW` of `PutRawEvents`, or `JSONATA`) says
 * nothing of itself, so it needs a `key`. Throws a `ConfigurationError` for unknown options.
 *
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-custom-bus-target-lambda.html
 *
 * @typeParam Body The type of the record's body.
 * @param options Which events run in their order.
 */
export function eventBridgeBus<Body = unknown>(
  options: EventBridgeBusOptions = {},
): Source<EventBridgeBusBatchRecord<Body>> {
  checkOptionsOf('eventBridgeBus', options, { lanes: oneOf('event-group', 'none') });
  return busSource(options.lanes ?? 'event-group', () => true) as Source<EventBridgeBusBatchRecord<Body>>;
}

/** The same for a function that any source may invoke: bare data, which may be anything, is not recognised. */
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

/** What `WITH_METADATA` delivers (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-custom-bus-addressing.html). */
interface WithMetadata {
  readonly Data: unknown;
  readonly Metadata?: Readonly<Record<string, unknown>>;
  /** Every value is a text, and only `aws:DeliveryType` is always there. */
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
      'it has neither Data and SystemMetadata nor the members of an EventBridge event; ' +
        'set `source: eventBridgeBus()` and a `key` if the subscriber delivers bare data',
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
    Metadata: metadata = {},
    SystemMetadata: system = {},
  }: Partial<WithMetadata> = isWithMetadata(raw) ? raw : { Data: raw };
  const contentType = textOf(system['ContentType']);
  // Raw data can be published in the shape of an event; the content type distinguishes them, if it is known.
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

function textsOf(metadata: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

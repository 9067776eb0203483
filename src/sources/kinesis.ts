import { Buffer, isUtf8 } from 'node:buffer';
import type { KinesisStreamRecordPayload } from 'aws-lambda';
import { checkpoint, itemFailures } from './answers.ts';
import { NOT_UTF8, textOfBase64 } from './base64-text.ts';
import { epochMsOfSeconds } from './epoch.ts';
import { MalformedRecordError } from './errors.ts';
import { pipedRecordsOf, streamRecordsOf } from './event-records.ts';
import { LONG_TEXT } from './json-bounds.ts';
import { readLongText } from './read-text.ts';
import type { KinesisBatchRecord } from './record.ts';
import type { Source, SourceBatch, SourceEntry } from './source.ts';
import { type OpenedBody, TextRecord } from './text-record.ts';
import { isObject } from '../claims/is-object.ts';

/**
 * Kinesis, polled by Lambda or by EventBridge Pipes. Records of one partition key run in their order, the others beside
 * them. Lambda is answered with its checkpoint, a pipe with every failure. A record that the Kinesis Producer Library
 * aggregated is one record here. A tumbling window is an `UnsupportedEventError`.
 */
export function kinesis<Body = unknown>(): Source<KinesisBatchRecord<Body>> {
  const source: Source<KinesisBatchRecord> = {
    name: 'Kinesis',
    read(event) {
      const piped = pipedRecordsOf(event, 'aws:kinesis');
      if (piped !== undefined) return pipedBatch(piped);
      const records = streamRecordsOf(event, 'aws:kinesis');
      return records && streamBatch(records);
    },
  };
  return source as Source<KinesisBatchRecord<Body>>;
}

/** https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-batchfailurereporting.html */
function streamBatch(records: readonly unknown[]): SourceBatch<KinesisBatchRecord> {
  const entries = records.map((record) => {
    const { kinesis: payload } = (record ?? {}) as { readonly kinesis?: unknown };
    return kinesisEntry(record, payload, ({ sequenceNumber }) => sequenceNumber);
  });
  return { entries, answer: checkpoint, comesAgainSoon: true };
}

/**
 * What is under `kinesis` elsewhere lies beside the rest
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-kinesis.html). A pipe is documented to deliver again
 * what is named, and promises no checkpoint; a failure is named by its eventID
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-batching-concurrency.html).
 */
function pipedBatch(records: readonly unknown[]): SourceBatch<KinesisBatchRecord> {
  const entries = records.map((record) => kinesisEntry(record, record, (_payload, eventId) => eventId));
  return { entries, answer: itemFailures, comesAgainSoon: true };
}

function kinesisEntry(
  raw: unknown,
  rawPayload: unknown,
  identifierOf: (payload: Partial<KinesisStreamRecordPayload>, eventId: unknown) => unknown,
): SourceEntry<KinesisBatchRecord> {
  const { eventSource, eventID, eventSourceARN } = membersOf<KinesisBatchRecord['raw']>(raw);
  const payload = membersOf<KinesisStreamRecordPayload>(rawPayload);
  const { data, partitionKey, sequenceNumber } = payload;
  const identifier = identifierOf(payload, eventID);
  const itemIdentifier = isText(identifier) ? identifier : undefined;
  const lane = typeof partitionKey === 'string' ? `key:${partitionKey}` : undefined;

  const problem =
    eventSource !== 'aws:kinesis'
      ? `its eventSource is ${JSON.stringify(eventSource)}, not "aws:kinesis"`
      : !isText(sequenceNumber)
        ? 'it has no sequenceNumber'
        : !isText(eventID) || !isText(eventSourceARN)
          ? 'it has no eventID or no eventSourceARN'
          : lane === undefined
            ? 'it has no partitionKey'
            : typeof data !== 'string'
              ? `its data is ${data === null ? 'null' : typeof data}, not a string`
              : undefined;
  if (problem !== undefined) {
    const error = new MalformedRecordError(
      `The Kinesis record ${itemIdentifier ?? ''} is malformed: ${problem}`,
    );
    return { itemIdentifier, lane, read: { error } };
  }
  const record = new KinesisRecordView(
    raw as KinesisBatchRecord['raw'],
    payload as KinesisStreamRecordPayload,
    undefined,
    undefined,
  );
  const isLong = (data as string).length > LONG_TEXT;
  return { itemIdentifier, lane, read: isLong ? readLongText(record) : { record } };
}

class KinesisRecordView extends TextRecord implements KinesisBatchRecord {
  readonly source = 'kinesis';
  readonly raw: KinesisBatchRecord['raw'];
  readonly #payload: KinesisStreamRecordPayload;
  readonly #isDecoded: boolean;
  #text: string | undefined;

  constructor(
    raw: KinesisBatchRecord['raw'],
    payload: KinesisStreamRecordPayload,
    opened: OpenedBody | undefined,
    decodedText: string | undefined,
  ) {
    super(opened);
    this.raw = raw;
    this.#payload = payload;
    this.#text = decodedText;
    this.#isDecoded = decodedText !== undefined;
  }

  get payload(): Buffer {
    return Buffer.from(this.#payload.data, 'base64');
  }

  withText(text: string | undefined, opened: OpenedBody | undefined): KinesisRecordView {
    return new KinesisRecordView(this.raw, this.#payload, opened, text);
  }

  /** The eventID is the shard and the sequence number in it; streams share both. */
  get id(): string {
    return `${this.raw.eventSourceARN}:${this.raw.eventID}`;
  }

  get rawBody(): string {
    this.#text ??= textOfBase64(this.#payload.data);
    return this.#text;
  }

  protected override get keyProblem(): string | undefined {
    if (this.#isDecoded || !this.rawBody.includes('\uFFFD') || isUtf8(this.payload)) return undefined;
    return NOT_UTF8;
  }

  get partitionKey(): string {
    return this.#payload.partitionKey;
  }

  get sequenceNumber(): string {
    return this.#payload.sequenceNumber;
  }

  get attributes(): Readonly<Record<string, string>> {
    return {};
  }

  /** Lambda does not tell how often it has delivered a record of a stream. */
  get receiveCount(): number {
    return 1;
  }

  get sentAt(): number | undefined {
    return epochMsOfSeconds(this.#payload.approximateArrivalTimestamp);
  }

  get messageGroupId(): undefined {
    return undefined;
  }
}

function membersOf<Shape>(value: unknown): Partial<Shape> {
  return isObject(value) ? value : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

import { Buffer, isUtf8 } from 'node:buffer';
import type { KinesisStreamRecordPayload } from 'aws-lambda';
import { MalformedRecordError } from './errors.ts';
import { readText } from './read-text.ts';
import type { KinesisBatchRecord } from './record.ts';
import { epochMsOfSeconds } from './epoch.ts';
import type { Reading, SourceBatch, SourceEntry } from './source-batch.ts';
import { type OpenedBody, TextRecord } from './text-record.ts';

/**
 * Batches of a Kinesis stream: records of one shard in their order. Records of one partition key run one after
 * the other, the others beside them. A record that the Kinesis Producer Library aggregated is one record here.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-batchfailurereporting.html
 */
export function kinesisBatch(records: readonly unknown[], reading: Reading): SourceBatch {
  const entries = records.map((record, index) => {
    const { kinesis } = (record ?? {}) as { readonly kinesis?: unknown };
    return kinesisEntry(record, kinesis, (payload) => payload.sequenceNumber, reading, index);
  });
  return { entries, answer: 'checkpoint', comesAgainSoon: true };
}

/**
 * A record of Kinesis that came through EventBridge Pipes. What is under `kinesis` elsewhere lies beside the rest
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-kinesis.html), and a failure is named by its eventID
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-batching-concurrency.html).
 */
export function pipesKinesisEntry(record: unknown, reading: Reading, index: number): SourceEntry {
  return kinesisEntry(record, record, (_payload, eventId) => eventId, reading, index);
}

function kinesisEntry(
  raw: unknown,
  rawPayload: unknown,
  identifierOf: (payload: Partial<KinesisStreamRecordPayload>, eventId: unknown) => unknown,
  reading: Reading,
  index: number,
): SourceEntry {
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
  const read = readText(
    reading,
    index,
    { longest: (data as string).length, read: () => textOf(data as string) },
    (opened, text) =>
      new KinesisRecordView(
        raw as KinesisBatchRecord['raw'],
        payload as KinesisStreamRecordPayload,
        opened,
        text,
      ),
  );
  return { itemIdentifier, lane, read };
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

  /** The eventID is the shard and the sequence number in it; streams share both. */
  get id(): string {
    return `${this.raw.eventSourceARN}:${this.raw.eventID}`;
  }

  get rawBody(): string {
    this.#text ??= textOf(this.#payload.data);
    return this.#text;
  }

  protected override get isWholeText(): boolean {
    if (this.#isDecoded || !this.rawBody.includes('\uFFFD')) return true;
    return isUtf8(Buffer.from(this.#payload.data, 'base64'));
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

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

function membersOf<Shape>(value: unknown): Partial<Shape> {
  return typeof value === 'object' && value !== null ? value : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

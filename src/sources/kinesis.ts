import type { KinesisStreamRecordPayload } from 'aws-lambda';
import { checkpoint, itemFailures } from './answers.ts';
import { Base64Record } from './base64.ts';
import {
  epochMsOfSeconds,
  isText,
  malformed,
  membersOf,
  pipedRecordsOf,
  streamRecordsOf,
  textOf,
} from './event-records.ts';
import { readText } from './json-text.ts';
import type { KinesisBatchRecord } from './record.ts';
import type { Source, SourceBatch, SourceEntry } from './source.ts';
import type { OpenedBody } from './text-record.ts';

/**
 * Kinesis, polled by Lambda or by EventBridge Pipes. Records of one partition key run in their order, the others beside
 * them. Lambda is answered with its checkpoint, a pipe with every failure. A record that the Kinesis Producer Library
 * aggregated is one record here. A tumbling window is an `UnsupportedEventError`.
 *
 * @typeParam Body The type of the record's body.
 */
export function kinesis<Body = unknown>(): Source<KinesisBatchRecord<Body>> {
  return {
    name: 'Kinesis',
    read(event) {
      const piped = pipedRecordsOf(event, 'aws:kinesis');
      if (piped !== undefined) return pipedBatch(piped);
      const records = streamRecordsOf(event, 'aws:kinesis');
      return records && streamBatch(records);
    },
  } satisfies Source<KinesisBatchRecord> as Source<KinesisBatchRecord<Body>>;
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
  const itemIdentifier = textOf(identifierOf(payload, eventID));
  // rule: partition-lanes
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
    return malformed(`Kinesis record ${itemIdentifier ?? ''}`, { itemIdentifier, lane }, problem);
  }
  const record = new KinesisRecordView(
    raw as KinesisBatchRecord['raw'],
    payload as KinesisStreamRecordPayload,
    undefined,
    undefined,
  );
  return { itemIdentifier, lane, read: readText(record, data as string) };
}

class KinesisRecordView
  extends Base64Record<'kinesis', KinesisBatchRecord['raw']>
  implements KinesisBatchRecord
{
  declare readonly partitionKey: string;
  declare readonly sequenceNumber: string;
  readonly #payload: KinesisStreamRecordPayload;

  constructor(
    raw: KinesisBatchRecord['raw'],
    payload: KinesisStreamRecordPayload,
    opened: OpenedBody | undefined,
    decodedText: string | undefined,
  ) {
    super(
      {
        source: 'kinesis',
        // The eventID is the shard and the sequence number in it; streams share both.
        id: `${raw.eventSourceARN}:${raw.eventID}`,
        rawBody: decodedText,
        hasAttributes: false,
        sentAt: epochMsOfSeconds(payload.approximateArrivalTimestamp),
        raw,
      },
      opened,
    );
    this.partitionKey = payload.partitionKey;
    this.sequenceNumber = payload.sequenceNumber;
    this.#payload = payload;
  }

  protected get data(): string {
    return this.#payload.data;
  }

  withText(text: string | undefined, opened: OpenedBody | undefined): KinesisRecordView {
    return new KinesisRecordView(this.raw, this.#payload, opened, text);
  }
}

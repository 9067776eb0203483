import type { KinesisStreamRecord, KinesisStreamRecordPayload } from 'aws-lambda';
import { Base64Record } from './base64.ts';
import {
  epochMsOfSeconds,
  isText,
  malformed,
  membersOf,
  readStream,
  streamProblem,
  stringProblem,
  textOf,
} from './event-records.ts';
import { readText } from './json-text.ts';
import type { KinesisBatchRecord } from './record.ts';
import type { Source, SourceEntry } from './source.ts';
import type { OpenedBody } from './text-record.ts';

/**
 * Returns the source for Kinesis, polled by Lambda or by EventBridge Pipes. Records of one partition key run
 * in order, different keys concurrently. The response to Lambda is a checkpoint, the response to a pipe lists
 * every failure. An aggregated record of the Kinesis Producer Library counts as one record. A tumbling window
 * is rejected with an `UnsupportedEventError`.
 *
 * @typeParam Body The type of the record's body.
 */
export function kinesis<Body = unknown>(): Source<KinesisBatchRecord<Body>> {
  return {
    name: 'Kinesis',
    read: (event) => readStream(event, 'aws:kinesis', kinesisEntry),
  } satisfies Source<KinesisBatchRecord> as Source<KinesisBatchRecord<Body>>;
}

/**
 * EventBridge Pipes has no member `kinesis`; its members are in the record itself:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-kinesis.html
 * Lambda identifies a failure by its sequence number:
 * https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-batchfailurereporting.html
 */
function kinesisEntry(raw: unknown, isPiped: boolean): SourceEntry<KinesisBatchRecord> {
  const members = membersOf<KinesisStreamRecord>(raw);
  const { eventID, kinesis } = members;
  const payload = membersOf<KinesisStreamRecordPayload>(isPiped ? raw : kinesis);
  const { data, partitionKey, sequenceNumber } = payload;
  const itemIdentifier = textOf(isPiped ? eventID : sequenceNumber);
  // rule: partition-lanes
  const lane = typeof partitionKey === 'string' ? `key:${partitionKey}` : undefined;

  const problem =
    streamProblem(members, 'aws:kinesis') ??
    (!isText(sequenceNumber)
      ? 'it has no sequenceNumber'
      : lane === undefined
        ? 'it has no partitionKey'
        : stringProblem('data', data));
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
        // The eventID is the shard and the sequence number. Both may occur in another stream too.
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

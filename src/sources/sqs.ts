import type { SQSRecord } from 'aws-lambda';
import { MalformedRecordError } from './errors.ts';
import { LONG_TEXT } from './json-bounds.ts';
import { readText } from './read-text.ts';
import type { SqsBatchRecord } from './record.ts';
import type { Reading, SourceBatch, SourceEntry } from './source-batch.ts';
import { type OpenedBody, TextRecord } from './text-record.ts';

/** SQS batches, standard and FIFO. */
export function sqsBatch(records: readonly unknown[], reading: Reading): SourceBatch {
  return {
    entries: records.map((record, index) => sqsEntry(record, reading, index)),
    answer: 'item-failures',
  };
}

function sqsEntry(raw: unknown, reading: Reading, index: number): SourceEntry {
  const { messageId, eventSource, eventSourceARN, attributes, body } = (
    typeof raw === 'object' && raw !== null ? raw : {}
  ) as Partial<SQSRecord>;
  const itemIdentifier = typeof messageId === 'string' && messageId !== '' ? messageId : undefined;

  // Standard queues carry a MessageGroupId too (fair queues) and order nothing by it: the ARN decides.
  const isFifo = typeof eventSourceARN === 'string' && eventSourceARN.endsWith('.fifo');
  const groupId = attributes?.MessageGroupId;
  const lane = isFifo ? `group:${groupId ?? ''}` : undefined;

  const problem =
    itemIdentifier === undefined
      ? 'it has no messageId'
      : eventSource !== 'aws:sqs'
        ? `its eventSource is ${JSON.stringify(eventSource)}, not "aws:sqs"`
        : typeof body !== 'string'
          ? `its body is ${body === null ? 'null' : typeof body}, not a string`
          : undefined;
  if (problem !== undefined) {
    const error = new MalformedRecordError(`The SQS record ${itemIdentifier ?? ''} is malformed: ${problem}`);
    return { itemIdentifier, lane, read: { error } };
  }
  const text = body as string;
  if (reading.unwrap.length === 0 && reading.decoded === undefined && text.length <= LONG_TEXT) {
    // The usual way, and there are thousands of them: no closures.
    return {
      itemIdentifier,
      lane,
      read: { record: new SqsRecordView(raw as SQSRecord, undefined, undefined) },
    };
  }
  const read = readText(
    reading,
    index,
    { longest: text.length, read: () => text },
    (opened, decodedText) => new SqsRecordView(raw as SQSRecord, opened, decodedText),
  );
  return { itemIdentifier, lane, read };
}

class SqsRecordView extends TextRecord implements SqsBatchRecord {
  readonly source = 'sqs';
  readonly raw: SQSRecord;
  readonly rawBody: string;

  constructor(raw: SQSRecord, opened: OpenedBody | undefined, decodedText: string | undefined) {
    super(opened);
    this.raw = raw;
    this.rawBody = decodedText ?? raw.body;
  }

  get id(): string {
    return this.raw.messageId;
  }

  get attributes(): Readonly<Record<string, string>> {
    const strings: [string, string][] = [];
    for (const [name, { stringValue }] of Object.entries(this.raw.messageAttributes ?? {})) {
      if (stringValue !== undefined) strings.push([name, stringValue]);
    }
    return Object.fromEntries(strings); // an assignment would lose an attribute that is named __proto__
  }

  get receiveCount(): number {
    return positiveInteger(this.raw.attributes?.ApproximateReceiveCount) ?? 1;
  }

  get sentAt(): number | undefined {
    return positiveInteger(this.raw.attributes?.SentTimestamp);
  }

  get messageGroupId(): string | undefined {
    return this.raw.attributes?.MessageGroupId;
  }
}

function positiveInteger(text: string | undefined): number | undefined {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

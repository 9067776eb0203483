import type { SQSRecord } from 'aws-lambda';
import { itemFailures } from './answers.ts';
import { MalformedRecordError } from './errors.ts';
import { pipedRecordsOf, recordsOf } from './event-records.ts';
import { LONG_TEXT } from './json-bounds.ts';
import { readLongText } from './read-text.ts';
import type { SqsBatchRecord } from './record.ts';
import type { Source, SourceEntry } from './source.ts';
import { type OpenedBody, TextRecord } from './text-record.ts';
import { isObject } from '../claims/is-object.ts';

/**
 * SQS, standard and FIFO, polled by Lambda or by EventBridge Pipes. The failed messages are named in the answer.
 * Messages of one group of a FIFO queue run in their order.
 */
export function sqs<Body = unknown>(): Source<SqsBatchRecord<Body>> {
  const source: Source<SqsBatchRecord> = {
    name: 'SQS',
    read(event) {
      const records = recordsOf(event, 'aws:sqs') ?? pipedRecordsOf(event, 'aws:sqs');
      return records && { entries: records.map(sqsEntry), answer: itemFailures };
    },
  };
  return source as Source<SqsBatchRecord<Body>>;
}

function sqsEntry(raw: unknown): SourceEntry<SqsBatchRecord> {
  const { messageId, eventSource, eventSourceARN, attributes, body } = (
    isObject(raw) ? raw : {}
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
  const record = new SqsRecordView(raw as SQSRecord, undefined, undefined);
  const isLong = (body as string).length > LONG_TEXT;
  return { itemIdentifier, lane, read: isLong ? readLongText(record) : { record } };
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

  get payload(): string {
    return this.raw.body;
  }

  withText(text: string | undefined, opened: OpenedBody | undefined): SqsRecordView {
    return new SqsRecordView(this.raw, opened, text);
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

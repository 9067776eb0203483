import type { SQSRecord } from 'aws-lambda';
import { itemFailures } from './answers.ts';
import {
  hasMembers,
  malformed,
  membersOf,
  otherSource,
  pipedRecordsOf,
  recordsOf,
  stringProblem,
  textOf,
} from './event-records.ts';
import { readText } from './json-text.ts';
import type { SqsBatchRecord } from './record.ts';
import type { Source, SourceEntry } from './source.ts';
import { type OpenedBody, TextRecord } from './text-record.ts';

/**
 * Returns the source for SQS, standard and FIFO, polled by Lambda or by EventBridge Pipes. The response lists
 * the failed messages. Messages of one group of a FIFO queue run in order.
 *
 * @typeParam Body The type of the record's body.
 */
export function sqs<Body = unknown>(): Source<SqsBatchRecord<Body>> {
  return {
    name: 'SQS',
    read(event) {
      const records = recordsOf(event, 'aws:sqs') ?? pipedRecordsOf(event, 'aws:sqs');
      return records && { entries: records.map(sqsEntry), answer: itemFailures };
    },
  } satisfies Source<SqsBatchRecord> as Source<SqsBatchRecord<Body>>;
}

function sqsEntry(raw: unknown): SourceEntry<SqsBatchRecord> {
  const { messageId, eventSource, eventSourceARN, attributes, body } = membersOf<SQSRecord>(raw);
  const itemIdentifier = textOf(messageId);

  // Standard queues may have a MessageGroupId too (fair queues), which orders nothing: the ARN decides.
  // rule: fifo-by-arn
  const isFifo = typeof eventSourceARN === 'string' && eventSourceARN.endsWith('.fifo');
  const groupId = attributes?.MessageGroupId;
  const lane = isFifo ? (groupId ?? '') : undefined;

  const problem =
    itemIdentifier === undefined
      ? 'it has no messageId'
      : eventSource === 'aws:sqs'
        ? stringProblem('body', body)
        : otherSource(eventSource, 'aws:sqs');
  if (problem !== undefined) {
    return malformed(`SQS record ${itemIdentifier ?? ''}`, { itemIdentifier, lane }, problem);
  }
  const record = new SqsRecordView(raw as SQSRecord, undefined, undefined);
  return { itemIdentifier, lane, read: readText(record, body as string) };
}

class SqsRecordView extends TextRecord<'sqs', SQSRecord> implements SqsBatchRecord {
  constructor(raw: SQSRecord, opened: OpenedBody | undefined, decodedText: string | undefined) {
    const { messageId, body, attributes, messageAttributes } = raw;
    super(
      {
        source: 'sqs',
        id: messageId,
        rawBody: decodedText ?? body,
        hasAttributes: hasMembers(messageAttributes),
        receiveCount: positiveInteger(attributes?.ApproximateReceiveCount) ?? 1,
        sentAt: positiveInteger(attributes?.SentTimestamp),
        messageGroupId: attributes?.MessageGroupId,
        raw,
      },
      opened,
    );
  }

  get payload(): string {
    return this.raw.body;
  }

  withText(text: string | undefined, opened: OpenedBody | undefined): SqsRecordView {
    return new SqsRecordView(this.raw, opened, text);
  }

  protected override makeAttributes(): Readonly<Record<string, string>> {
    const strings: [string, string][] = [];
    for (const [name, { stringValue }] of Object.entries(this.raw.messageAttributes)) {
      if (stringValue !== undefined) strings.push([name, stringValue]);
    }
    return Object.fromEntries(strings); // assigning would lose an attribute named __proto__
  }
}

function positiveInteger(text: string | undefined): number | undefined {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

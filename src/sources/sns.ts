import type { SNSEventRecord } from 'aws-lambda';
import { epochMsOfText } from './epoch.ts';
import { MalformedRecordError } from './errors.ts';
import { readText } from './read-text.ts';
import type { SnsBatchRecord } from './record.ts';
import { isSnsNotification, snsAttributes } from './sns-notification.ts';
import type { Reading, SourceBatch, SourceEntry } from './source-batch.ts';
import { type OpenedBody, TextRecord } from './text-record.ts';

/** Notifications that SNS delivers to the function itself: there is no list to answer with. */
export function snsBatch(records: readonly unknown[], reading: Reading): SourceBatch {
  return {
    entries: records.map((record, index) => snsEntry(record, reading, index)),
    answer: 'all-or-nothing',
    comesAgainSoon: true,
  };
}

function snsEntry(raw: unknown, reading: Reading, index: number): SourceEntry {
  const { EventSource: eventSource, Sns: notification } = (
    typeof raw === 'object' && raw !== null ? raw : {}
  ) as Partial<SNSEventRecord>;
  if (eventSource !== 'aws:sns' || !isSnsNotification(notification)) {
    const error = new MalformedRecordError(
      'The SNS record is malformed: it is no notification (EventSource "aws:sns", and Sns with Type, MessageId and Message)',
    );
    return { itemIdentifier: undefined, lane: undefined, read: { error } };
  }
  const { MessageId: itemIdentifier, Message: text } = notification;
  const read = readText(
    reading,
    index,
    { longest: text.length, read: () => text },
    (opened, decodedText) => new SnsRecordView(raw as SNSEventRecord, opened, decodedText),
  );
  return { itemIdentifier, lane: undefined, read };
}

class SnsRecordView extends TextRecord implements SnsBatchRecord {
  readonly source = 'sns';
  readonly raw: SNSEventRecord;
  readonly rawBody: string;

  constructor(raw: SNSEventRecord, opened: OpenedBody | undefined, decodedText: string | undefined) {
    super(opened);
    this.raw = raw;
    this.rawBody = decodedText ?? raw.Sns.Message;
  }

  get id(): string {
    return this.raw.Sns.MessageId;
  }

  get attributes(): Readonly<Record<string, string>> {
    return isSnsNotification(this.raw.Sns) ? snsAttributes(this.raw.Sns) : {};
  }

  /** Lambda does not tell how often it has tried an asynchronous invocation. */
  get receiveCount(): number {
    return 1;
  }

  get sentAt(): number | undefined {
    return epochMsOfText(this.raw.Sns.Timestamp);
  }

  get messageGroupId(): undefined {
    return undefined;
  }
}

import type { SNSEventRecord } from 'aws-lambda';
import { allOrNothing } from './answers.ts';
import { epochMsOfText } from './epoch.ts';
import { MalformedRecordError } from './errors.ts';
import { recordsOf } from './event-records.ts';
import { LONG_TEXT } from './json-bounds.ts';
import { readLongText } from './read-text.ts';
import type { SnsBatchRecord } from './record.ts';
import { isSnsNotification, snsAttributes } from './sns-notification.ts';
import type { Source, SourceEntry } from './source.ts';
import { type OpenedBody, TextRecord } from './text-record.ts';
import { isObject } from '../claims/is-object.ts';

/** Notifications that SNS delivers to the function itself. It takes no list for an answer: a failure rejects. */
export function sns<Body = unknown>(): Source<SnsBatchRecord<Body>> {
  const source: Source<SnsBatchRecord> = {
    name: 'SNS',
    read(event) {
      const records = recordsOf(event, 'aws:sns');
      return records && { entries: records.map(snsEntry), answer: allOrNothing, comesAgainSoon: true };
    },
  };
  return source as Source<SnsBatchRecord<Body>>;
}

function snsEntry(raw: unknown): SourceEntry<SnsBatchRecord> {
  const { EventSource: eventSource, Sns: notification } = (
    isObject(raw) ? raw : {}
  ) as Partial<SNSEventRecord>;
  if (eventSource !== 'aws:sns' || !isSnsNotification(notification)) {
    const error = new MalformedRecordError(
      'The SNS record is malformed: it is not a notification (EventSource "aws:sns", and Sns with Type, MessageId and Message)',
    );
    return { itemIdentifier: undefined, lane: undefined, read: { error } };
  }
  const { MessageId: itemIdentifier, Message: text } = notification;
  const record = new SnsRecordView(raw as SNSEventRecord, undefined, undefined);
  const isLong = text.length > LONG_TEXT;
  return { itemIdentifier, lane: undefined, read: isLong ? readLongText(record) : { record } };
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

  get payload(): string {
    return this.raw.Sns.Message;
  }

  withText(text: string | undefined, opened: OpenedBody | undefined): SnsRecordView {
    return new SnsRecordView(this.raw, opened, text);
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

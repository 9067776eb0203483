import type { SNSEventRecord } from 'aws-lambda';
import { allOrNothing } from './answers.ts';
import { epochMsOfText } from './epoch.ts';
import { recordsOf } from './event-records.ts';
import { malformed } from './malformed.ts';
import { membersOf } from './members.ts';
import { readText } from './read-text.ts';
import type { SnsBatchRecord } from './record.ts';
import { isSnsNotification, snsAttributes } from './sns-notification.ts';
import type { Source, SourceEntry } from './source.ts';
import { type OpenedBody, TextRecord } from './text-record.ts';

/**
 * Notifications that SNS delivers to the function itself. It takes no list for an answer: a failure rejects.
 *
 * @typeParam Body The type of the record's body.
 */
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
  const { EventSource: eventSource, Sns: notification } = membersOf<SNSEventRecord>(raw);
  if (eventSource !== 'aws:sns' || !isSnsNotification(notification)) {
    return malformed(
      'SNS record',
      {},
      'it is not a notification (EventSource "aws:sns", and Sns with Type, MessageId and Message)',
    );
  }
  const { MessageId: itemIdentifier, Message: text } = notification;
  const record = new SnsRecordView(raw as SNSEventRecord, undefined, undefined);
  return { itemIdentifier, lane: undefined, read: readText(record, text) };
}

class SnsRecordView extends TextRecord<'sns', SNSEventRecord> implements SnsBatchRecord {
  constructor(raw: SNSEventRecord, opened: OpenedBody | undefined, decodedText: string | undefined) {
    const { MessageId: id, Message: text, Timestamp: sentAt } = raw.Sns;
    super(
      {
        source: 'sns',
        id,
        rawBody: decodedText ?? text,
        hasAttributes: true,
        sentAt: epochMsOfText(sentAt),
        raw,
      },
      opened,
    );
  }

  get payload(): string {
    return this.raw.Sns.Message;
  }

  withText(text: string | undefined, opened: OpenedBody | undefined): SnsRecordView {
    return new SnsRecordView(this.raw, opened, text);
  }

  protected override makeAttributes(): Readonly<Record<string, string>> {
    return isSnsNotification(this.raw.Sns) ? snsAttributes(this.raw.Sns) : {};
  }
}

import type { SNSEventRecord } from 'aws-lambda';
import { isObject } from '../base/is-object.ts';
import { allOrNothing } from './answers.ts';
import type { EnvelopeStep } from './decode-step.ts';
import { envelopeStep } from './envelope-steps.ts';
import { MalformedRecordError } from './errors.ts';
import { epochMsOfText, malformed, membersOf, recordsOf } from './event-records.ts';
import { readText } from './json-text.ts';
import type { SnsBatchRecord } from './record.ts';
import type { Source, SourceEntry } from './source.ts';
import { type OpenedBody, TextRecord } from './text-record.ts';

/**
 * Returns the source for notifications that SNS sends to the function. SNS reads no list of failures: a
 * failure rejects the invocation.
 *
 * @typeParam Body The type of the record's body.
 */
export function sns<Body = unknown>(): Source<SnsBatchRecord<Body>> {
  return {
    name: 'SNS',
    read(event) {
      const records = recordsOf(event, 'aws:sns');
      return records && { entries: records.map(snsEntry), answer: allOrNothing, comesAgainSoon: true };
    },
  } satisfies Source<SnsBatchRecord> as Source<SnsBatchRecord<Body>>;
}

function snsEntry(raw: unknown): SourceEntry<SnsBatchRecord> {
  const { EventSource: eventSource, Sns: notification } = membersOf<SNSEventRecord>(raw);
  if (eventSource !== 'aws:sns' || !isSnsNotification(notification)) {
    return malformed(
      'SNS record',
      {},
      'it is no notification (EventSource "aws:sns", Sns with Type, MessageId and Message)',
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

/**
 * Returns a step of `decode` that unwraps SNS notifications, from subscriptions without raw message delivery.
 * The body becomes the message, parsed if it is JSON; the default key is the notification's MessageId.
 */
export function snsEnvelope(): EnvelopeStep {
  return envelopeStep((value) => {
    if (!isSnsNotification(value)) {
      throw new MalformedRecordError(
        'The body is not an SNS notification (an object with Type, MessageId and Message), ' +
          'as snsEnvelope() expects; ' +
          'with raw message delivery on the subscription, leave snsEnvelope() out of `decode`',
      );
    }
    const envelope = { id: value.MessageId, attributes: snsAttributes(value) };
    return { envelope, inner: { text: value.Message } };
  });
}

interface SnsNotification {
  readonly Type: 'Notification';
  readonly MessageId: string;
  readonly TopicArn?: string;
  readonly Subject?: string | null;
  readonly Message: string;
  readonly Timestamp?: string;
  readonly MessageAttributes?: Readonly<Record<string, { readonly Value?: unknown }>>;
}

function isSnsNotification(value: unknown): value is SnsNotification {
  if (!isObject(value)) return false;
  const { Type, MessageId, Message } = value as Partial<SnsNotification>;
  return (
    Type === 'Notification' &&
    typeof MessageId === 'string' &&
    MessageId !== '' &&
    typeof Message === 'string'
  );
}

function snsAttributes({ TopicArn, Subject, MessageAttributes }: SnsNotification): Record<string, string> {
  const attributes: [string, string][] = [];
  if (typeof TopicArn === 'string') attributes.push(['TopicArn', TopicArn]);
  if (typeof Subject === 'string') attributes.push(['Subject', Subject]);
  for (const [name, attribute] of Object.entries(MessageAttributes ?? {})) {
    if (typeof attribute?.Value === 'string') attributes.push([name, attribute.Value]);
  }
  return Object.fromEntries(attributes); // assigning would lose an attribute named __proto__
}

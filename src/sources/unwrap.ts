import { isEventBridgeEvent } from './eventbridge.ts';
import { MalformedRecordError } from './errors.ts';
import { parseJsonOrText } from './parse-body.ts';
import type { Envelope } from './record.ts';

/** What an SQS body wraps: an EventBridge event (a rule with a queue as target) or an SNS notification. */
export type Unwrap = 'eventbridge' | 'sns';

export interface Unwrapped {
  readonly envelope: Envelope;
  readonly body: unknown;
}

/** Takes the payload out of the envelope in an SQS body. Throws a `MalformedRecordError` when it is not one. */
export function unwrapBody(rawBody: string, unwrap: Unwrap): Unwrapped {
  const parsed = parseJsonOrText(rawBody);
  switch (unwrap) {
    case 'eventbridge': {
      if (!isEventBridgeEvent(parsed)) {
        throw new MalformedRecordError(
          "The body is not an EventBridge event (an object with id, source, 'detail-type' and detail), as `unwrap: 'eventbridge'` expects",
        );
      }
      const { id, source, account, region, 'detail-type': detailType, detail } = parsed;
      return {
        envelope: { id, attributes: { source, 'detail-type': detailType, account, region } },
        body: detail,
      };
    }
    case 'sns': {
      if (!isSnsNotification(parsed)) {
        throw new MalformedRecordError(
          "The body is not an SNS notification (an object with Type, MessageId and Message), as `unwrap: 'sns'` expects; " +
            'with raw message delivery on the subscription, leave `unwrap` out',
        );
      }
      return {
        envelope: { id: parsed.MessageId, attributes: snsAttributes(parsed) },
        body: parseJsonOrText(parsed.Message),
      };
    }
  }
}

interface SnsNotification {
  readonly Type: 'Notification';
  readonly MessageId: string;
  readonly TopicArn?: string;
  readonly Subject?: string | null;
  readonly Message: string;
  readonly MessageAttributes?: Readonly<Record<string, { readonly Value?: unknown }>>;
}

function isSnsNotification(value: unknown): value is SnsNotification {
  if (typeof value !== 'object' || value === null) return false;
  const { Type, MessageId, Message } = value as Partial<SnsNotification>;
  return (
    Type === 'Notification' &&
    typeof MessageId === 'string' &&
    MessageId !== '' &&
    typeof Message === 'string'
  );
}

function snsAttributes({
  TopicArn,
  Subject,
  MessageAttributes = {},
}: SnsNotification): Record<string, string> {
  const attributes: [string, string][] = [];
  if (typeof TopicArn === 'string') attributes.push(['TopicArn', TopicArn]);
  if (typeof Subject === 'string') attributes.push(['Subject', Subject]);
  for (const [name, attribute] of Object.entries(MessageAttributes)) {
    if (typeof attribute?.Value === 'string') attributes.push([name, attribute.Value]);
  }
  return Object.fromEntries(attributes); // an assignment would lose an attribute that is named __proto__
}

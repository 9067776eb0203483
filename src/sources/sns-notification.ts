import { isObject } from '../base/is-object.ts';

/** What SNS sends of one message, in an envelope or to a function. */
export interface SnsNotification {
  readonly Type: 'Notification';
  readonly MessageId: string;
  readonly TopicArn?: string;
  readonly Subject?: string | null;
  readonly Message: string;
  readonly Timestamp?: string;
  readonly MessageAttributes?: Readonly<Record<string, { readonly Value?: unknown }>>;
}

export function isSnsNotification(value: unknown): value is SnsNotification {
  if (!isObject(value)) return false;
  const { Type, MessageId, Message } = value as Partial<SnsNotification>;
  return (
    Type === 'Notification' &&
    typeof MessageId === 'string' &&
    MessageId !== '' &&
    typeof Message === 'string'
  );
}

/** The message's attributes, and its topic and subject among them. */
export function snsAttributes({
  TopicArn,
  Subject,
  MessageAttributes,
}: SnsNotification): Record<string, string> {
  const attributes: [string, string][] = [];
  if (typeof TopicArn === 'string') attributes.push(['TopicArn', TopicArn]);
  if (typeof Subject === 'string') attributes.push(['Subject', Subject]);
  for (const [name, attribute] of Object.entries(MessageAttributes ?? {})) {
    if (typeof attribute?.Value === 'string') attributes.push([name, attribute.Value]);
  }
  return Object.fromEntries(attributes); // an assignment would lose an attribute that is named __proto__
}

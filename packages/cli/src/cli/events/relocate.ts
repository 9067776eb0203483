/** The options that say where an event comes from. */
export interface PlaceOptions {
  readonly region?: string;
  readonly accountId?: string;
  readonly partition?: string;
}

/** The members that the sending service adds around bodies. */
const PLACES = new Set([
  'eventSourceARN',
  'awsRegion',
  'region',
  'account',
  'invokeIdentityArn',
  'EventSubscriptionArn',
  'TopicArn',
  'SigningCertUrl',
  'UnsubscribeUrl',
]);

/** The members that belong to the sender of the body; they stay unchanged. */
const BODIES = new Set(['body', 'detail', 'data', 'dynamodb', 'Message', 'messageAttributes']);

/** Returns the event with another region, account and partition. Bodies stay unchanged. */
export function relocated(
  event: unknown,
  { region = 'us-east-1', accountId = '123456789012', partition = 'aws' }: PlaceOptions,
): unknown {
  const move = (text: string): string =>
    text
      .replace(/^arn:aws:/, `arn:${partition}:`)
      .replace('us-east-1', region)
      .replace('123456789012', accountId);
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (BODIES.has(name)) return [name, member];
        return [name, typeof member === 'string' && PLACES.has(name) ? move(member) : visit(member)];
      }),
    );
  };
  return visit(event);
}

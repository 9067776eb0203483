import { defined } from '../../base/defined.ts';
import type { Claim, StoredError } from '../../claims/claim.ts';
import { DEAD_LETTER_ATTRIBUTES, LONGEST_VALUE } from '../../queues/dead-letter.ts';
import type { MessageAttribute, ReceivedMessage } from './dead-letter-sqs.ts';

/**
 * How a message got into a dead-letter queue. `redrive-policy`: SQS moved it. `deadLetterQueue`: it has the
 * attributes of `deadLetterQueue()`. `unknown`: another sender, or the service does not say (emulators).
 */
export type SentBy = 'redrive-policy' | 'deadLetterQueue' | 'unknown';

/** A message of a dead-letter queue. */
export interface DeadLetterMessage {
  /** The id in the dead-letter queue: the original id after a redrive policy's move, otherwise a new one. */
  readonly messageId: string;
  /** The body as delivered. It is never logged. */
  readonly body: string;
  /** When it was sent, in epoch milliseconds; a standard queue's redrive policy keeps the first time. */
  readonly sentAt?: number;
  /** How often the message was received, also in its source queue if a redrive policy moved it. */
  readonly receiveCount: number;
  /** The message group, of FIFO queues and fair queues. */
  readonly messageGroupId?: string;
  /** The sender's message attributes: strings and numbers, without those of `deadLetterQueue()`. */
  readonly attributes: Readonly<Record<string, string>>;
  /** How the message got here. */
  readonly sentBy: SentBy;
  /** The source's ARN or name. SQS sets it if a redrive policy moved the message; else it may be forged. */
  readonly source?: string;
  /** The id of the failed record at its sender: the message's id before `deadLetterQueue()` sent it on. */
  readonly recordId: string;
  /** The error, from `deadLetterQueue()` or else from the claim. */
  readonly error?: StoredError;
  /** The idempotency key, if it is known. */
  readonly key?: string;
  /** The claims found in the store: none, one, or several if several consumers had the message. */
  readonly claims: readonly Claim[];
}

/** A message whose claims have not been looked up. */
export interface ReadMessage {
  readonly message: DeadLetterMessage;
  readonly received: ReceivedMessage;
  /** The key that `deadLetterQueue()` put on the message. Anybody who may send to the queue can forge it. */
  readonly toldKey: string | undefined;
}

export function readMessage(received: ReceivedMessage): ReadMessage {
  const { MessageId: messageId = '', Body: body = '', Attributes: system = {} } = received;
  const told = stringsOf(received.MessageAttributes ?? {});
  const sourceArn = system['DeadLetterQueueSourceArn'];
  // A redrive policy keeps the sender's attributes, so none of them is ours, whatever its name.
  const isOurs = sourceArn === undefined && hasOurAttributes(told);
  const message: DeadLetterMessage = {
    messageId,
    body,
    receiveCount: integerOf(system['ApproximateReceiveCount']) ?? 1,
    ...defined({
      sentAt: integerOf(system['SentTimestamp']),
      messageGroupId: system['MessageGroupId'],
      source: sourceArn ?? (isOurs ? told['Source'] : undefined),
    }),
    attributes: isOurs ? withoutOurs(told) : told,
    sentBy: sourceArn !== undefined ? 'redrive-policy' : isOurs ? 'deadLetterQueue' : 'unknown',
    recordId: (isOurs ? told['RecordId'] : undefined) ?? messageId,
    ...(isOurs && { error: errorOf(told) }),
    claims: [],
  };
  return { message, received, toldKey: isOurs ? keyIn(told) : undefined };
}

/** A longer key is not from `deadLetterQueue()`, and not every store can look for it. */
function keyIn({ IdempotencyKey: key }: Readonly<Record<string, string>>): string | undefined {
  return key === undefined || key.length > LONGEST_VALUE ? undefined : key;
}

/** Whether `deadLetterQueue()` sent it. It omits these attributes only if the body leaves no room. */
function hasOurAttributes(told: Readonly<Record<string, string>>): boolean {
  return ['RecordId', 'ErrorName', 'Source'].every((name) => Object.hasOwn(told, name));
}

function errorOf(told: Readonly<Record<string, string>>): StoredError {
  const { ErrorName: name = 'Error', ErrorMessage: message = '', ErrorCode: code } = told;
  return { name, message, ...defined({ code }) };
}

/** Returns the attributes that a message had before `deadLetterQueue()` added its own. */
export function withoutOurs<Value>(attributes: Readonly<Record<string, Value>>): Record<string, Value> {
  const ours: readonly string[] = DEAD_LETTER_ATTRIBUTES;
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !ours.includes(name)));
}

function stringsOf(attributes: Readonly<Record<string, MessageAttribute>>): Record<string, string> {
  const texts = Object.entries(attributes).map(([name, { StringValue }]) => [name, StringValue] as const);
  return defined(Object.fromEntries(texts)) as Record<string, string>;
}

function integerOf(text: string | undefined): number | undefined {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

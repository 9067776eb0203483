import { defined } from '../../base/defined.ts';
import type { Claim, StoredError } from '../../claims/claim.ts';
import { DEAD_LETTER_ATTRIBUTES } from '../../queues/dead-letter.ts';
import type { MessageAttribute, ReceivedMessage } from './dead-letter-sqs.ts';

/**
 * Who put a message into a dead-letter queue. `redrive-policy`: SQS moved it. `deadLetterQueue`: it was sent there and has
 * the attributes that `deadLetterQueue()` sends. `unknown`: it was sent there by somebody else, or the service does not
 * say (emulators).
 */
export type SentBy = 'redrive-policy' | 'deadLetterQueue' | 'unknown';

/** A message of a dead-letter queue. */
export interface DeadLetterMessage {
  /** Its id in the dead-letter queue. A redrive policy keeps the id that it had; what is sent gets a new one. */
  readonly messageId: string;
  /** As it was delivered. Nothing here writes it to a log. */
  readonly body: string;
  /** When it was sent, in epoch milliseconds; of what a standard queue's redrive policy moved, when it was sent first. */
  readonly sentAt?: number;
  /** How often it has been received, here and, of what a redrive policy moved, before. */
  readonly receiveCount: number;
  /** Of FIFO queues and fair queues. */
  readonly messageGroupId?: string;
  /** What its sender says of it: strings and numbers, without those of `deadLetterQueue()`. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Who put it here. */
  readonly sentBy: SentBy;
  /**
   * Where it came from: an ARN, or a service's name. SQS says it of what its redrive policy moved. Of other messages it is
   * what the message says, and whoever may send to the queue can have it say anything.
   */
  readonly source?: string;
  /** Identifies the record that failed to its sender: the message's id before `deadLetterQueue()` sent it on. */
  readonly recordId: string;
  /** Why it failed: what `deadLetterQueue()` says, or else the claim. */
  readonly error?: StoredError;
  /** Its idempotency key, where that is known. */
  readonly key?: string;
  /** Its claims, which a store was asked for: none, one, or more where several consumers had the message. */
  readonly claims: readonly Claim[];
}

/** What is known of a message before its claims are. */
export interface ReadMessage {
  readonly message: DeadLetterMessage;
  readonly received: ReceivedMessage;
  /** The key that `deadLetterQueue()` says, which whoever may send to the queue can forge. */
  readonly toldKey: string | undefined;
}

/** Reads what was received. */
export function readMessage(received: ReceivedMessage): ReadMessage {
  const { MessageId: messageId = '', Body: body = '', Attributes: system = {} } = received;
  const told = stringsOf(received.MessageAttributes ?? {});
  const sourceArn = system['DeadLetterQueueSourceArn'];
  // What a redrive policy moved has its sender's attributes: none of them is ours, whatever it is called.
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
  return { message, received, toldKey: isOurs ? told['IdempotencyKey'] : undefined };
}

/** What every message of `deadLetterQueue()` has, unless its body leaves no room; such a message counts as another's. */
function hasOurAttributes(told: Readonly<Record<string, string>>): boolean {
  return ['RecordId', 'ErrorName', 'Source'].every((name) => Object.hasOwn(told, name));
}

function errorOf(told: Readonly<Record<string, string>>): StoredError {
  const { ErrorName: name = 'Error', ErrorMessage: message = '', ErrorCode: code } = told;
  return { name, message, ...defined({ code }) };
}

/** The attributes that a message of `deadLetterQueue()` had before, for sending it back. */
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

import { defined } from '../../base/defined.ts';
import type { Clock } from '../../base/clock.ts';
import {
  aBoolean,
  aFunction,
  anInteger,
  anObject,
  checkOptionsOf,
  objectWith,
  required,
} from '../../options/check-options.ts';
import { anAdmin, aUrl } from '../../options/domain-checks.ts';
import type { CommandClient } from '../../options/command-client.ts';
import { ClaimsOfMessages, type KeyOfMessage, type ParkedClaimsRead } from './claims-of-messages.ts';
import { type DeadLetterMessage, readMessage } from './dead-letter-message.ts';
import { openDeadLetterQueue } from './dead-letter-queue.ts';
import type { DeadLetterSqs } from './dead-letter-sqs.ts';
import { HeldMessages } from './held-messages.ts';
import type { ClaimAdmin } from '../../claims/claim-admin.ts';

/** Options of `peekDeadLetters`. */
export interface PeekOptions {
  /** The dead-letter queue. */
  readonly queueUrl: string;
  /** The maximum number of messages, from 1. Default 10. They stay hidden until the last one is read. */
  readonly limit?: number;
  /** The admin of the store that holds the claims. Default: messages are shown without claims. */
  readonly admin?: ClaimAdmin;
  /** The key of a message, e.g. `processorKey({ namespace })`. Default: finds parked claims by its id. */
  readonly key?: KeyOfMessage;
  /** Whether to accept that a queue with a redrive policy of its own may move messages on. Default false. */
  readonly usesReceives?: boolean;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Aborting it stops early; the messages read so far are returned. */
  readonly signal?: AbortSignal;
}

/** Messages of a dead-letter queue. */
export interface DeadLetterPeek {
  /** The messages, in the order in which SQS returned them. */
  readonly messages: readonly DeadLetterMessage[];
  /** Whether these are all messages of the queue, except those in flight at other consumers. */
  readonly isWhole: boolean;
  /** The approximate number of messages in the queue. */
  readonly total: number;
  /** Messages that reappear only after 30 seconds, because their visibility could not be reset. */
  readonly stillHidden: number;
  /** The cost of reading the parked claims; absent if they were not read. */
  readonly parkedRead?: ParkedClaimsRead;
}

const DEFAULT_LIMIT = 10;
/** How long messages stay hidden if this process dies. */
const HIDDEN_SECONDS = 30;

/**
 * Reads messages of a dead-letter queue with their claims and errors. The messages are received, hidden while
 * the others are read, and then shown again. Each receive is counted, which matters only if the queue has a
 * redrive policy of its own; such a queue is refused unless `usesReceives` is set. SQS returns later messages
 * of a FIFO group only with or after the earlier ones, so a long group may be shown in part.
 *
 * Rejects with a `ConfigurationError` for invalid options, and with the error of SQS or the store when a read
 * fails; the messages are shown again then too.
 *
 * @param sqs `new SQS()` or `new SQSClient()` of `@aws-sdk/client-sqs`.
 * @param options The queue, and the number of messages.
 *
 * @example
 * const { messages } = await peekDeadLetters(new SQS(), { queueUrl, admin });
 */
export async function peekDeadLetters(
  sqs: DeadLetterSqs | CommandClient,
  options: PeekOptions,
): Promise<DeadLetterPeek> {
  checkOptionsOf('peekDeadLetters', options, {
    queueUrl: required(aUrl()),
    limit: anInteger(1),
    admin: anAdmin(),
    key: aFunction(),
    usesReceives: aBoolean(),
    clock: objectWith('now', 'setTimer'),
    signal: anObject(),
  });
  const { limit = DEFAULT_LIMIT, signal } = options;
  const queue = await openDeadLetterQueue(sqs, options);
  const claims = new ClaimsOfMessages(options);
  const held = new HeldMessages(queue, HIDDEN_SECONDS);
  const messages: DeadLetterMessage[] = [];
  let isEmpty = false;
  let stillHidden = 0;
  try {
    while (messages.length < limit && !isEmpty && signal?.aborted !== true) {
      const received = await held.receive(limit - messages.length);
      isEmpty = received === undefined;
      for (const { message } of await claims.find((received ?? []).map(readMessage))) messages.push(message);
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  } finally {
    stillHidden = await held.close();
  }
  return {
    messages,
    isWhole: isEmpty && (!queue.isFifo || messages.length >= queue.visible),
    total: queue.visible + queue.hidden,
    stillHidden,
    ...defined({ parkedRead: claims.parkedRead }),
  };
}

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
  /** The most messages that are shown, from 1 up. Default 10. All are hidden from others until the last is read. */
  readonly limit?: number;
  /** Where the claims are. Default: messages are shown without them. */
  readonly admin?: ClaimAdmin;
  /** The key of a message, such as `processorKey({ namespace })` gives. Default: claims that are parked are searched for its id. */
  readonly key?: KeyOfMessage;
  /** Accepts that a queue with a redrive policy of its own may move messages on. Default false. */
  readonly usesReceives?: boolean;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Stops early; what was read so far is given. */
  readonly signal?: AbortSignal;
}

/** Some messages of a dead-letter queue. */
export interface DeadLetterPeek {
  /** In the order in which SQS gave them. */
  readonly messages: readonly DeadLetterMessage[];
  /** Whether these are all that the queue has, but for those that others have received at the moment. */
  readonly isWhole: boolean;
  /** How many messages the queue has, as SQS counts them, which is approximate. */
  readonly total: number;
  /** How many messages appear again only after 30 seconds, because SQS could not be told. */
  readonly stillHidden: number;
  /** What it cost to read the claims that are parked; absent where that was not needed. */
  readonly parkedRead?: ParkedClaimsRead;
}

const DEFAULT_LIMIT = 10;
/** How long messages stay hidden should this process die. */
const HIDDEN_SECONDS = 30;

/**
 * Shows messages of a dead-letter queue, each beside its claim and its error. They are received, hidden while the others are
 * read, and then shown again at once. A receive is counted for each; that matters only to a queue that has a redrive policy of
 * its own, and such a queue is refused (`usesReceives`). SQS gives the messages of a FIFO group that are behind others only
 * with these or after them, so a long group is shown in part.
 *
 * Rejects with a `ConfigurationError` for options that cannot work, and where SQS or the store cannot be read; the messages
 * are shown again then too.
 *
 * @param sqs `new SQS()` or `new SQSClient()` of `@aws-sdk/client-sqs`.
 * @param options Which queue, and how many messages.
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

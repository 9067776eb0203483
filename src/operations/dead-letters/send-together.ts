import { defined } from '../../base/defined.ts';
import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { wait } from '../../base/clock.ts';
import { asError } from '../../claims/store-errors.ts';
import { type ReadMessage, withoutOurs } from './dead-letter-message.ts';
import type { DeadLetterQueue } from './dead-letter-queue.ts';
import type { FailedEntry, MessageAttribute, SendEntry } from './dead-letter-sqs.ts';

/** What became of one message. `unanswered`: SQS may have taken it. `behind`: it was not sent. */
export type MoveOutcome =
  | { readonly moved: true; readonly newMessageId: string | undefined }
  | { readonly moved: false; readonly why: 'refused' | 'unanswered' | 'behind'; readonly error?: Error };

export interface SentTogether {
  /** One for each message, in order. */
  readonly outcomes: readonly MoveOutcome[];
  /** The request failed as a whole: the next one is likely to fail too. */
  readonly trouble?: Error;
}

const TRIES = 3;
const FIRST_PAUSE_MS = 100;

/**
 * Sends up to ten messages to one queue in one request. What SQS refuses for reasons of its own is sent again. What it does not
 * answer is sent again only to a FIFO queue, which drops the second of two: a standard queue would have the message twice.
 */
export async function sendTogether(
  messages: readonly OutgoingMessage[],
  { sqs, clock }: DeadLetterQueue,
): Promise<SentTogether> {
  const [first] = messages;
  if (first === undefined) return { outcomes: [] };
  const { destinationUrl } = first;
  const isFifo = destinationUrl.endsWith('.fifo');
  const outcomes: MoveOutcome[] = messages.map(() => unanswered());
  let open = messages.map((_, index) => index);
  let trouble: Error | undefined;

  for (let attempt = 1; attempt <= TRIES && open.length > 0; attempt += 1) {
    if (attempt > 1) await wait(clock, FIRST_PAUSE_MS * 2 ** (attempt - 2));
    const asked = open;
    open = [];
    try {
      const { Successful = [], Failed = [] } = await sqs.sendMessageBatch({
        QueueUrl: destinationUrl,
        Entries: asked.map((index) => entryOf(messages[index] as OutgoingMessage, String(index))),
      });
      trouble = undefined;
      const answered = new Set<number>();
      for (const { Id, MessageId } of Successful) {
        answered.add(Number(Id));
        outcomes[Number(Id)] = { moved: true, newMessageId: MessageId };
      }
      for (const failed of Failed) {
        answered.add(Number(failed.Id));
        outcomes[Number(failed.Id)] = { moved: false, why: 'refused', error: errorOf(failed) };
        if (failed.SenderFault !== true) open.push(Number(failed.Id));
      }
      if (isFifo) open.push(...asked.filter((index) => !answered.has(index)));
    } catch (thrown) {
      trouble = asError(thrown);
      const why = isRefusal(trouble) ? 'refused' : 'unanswered';
      for (const index of asked) outcomes[index] = { moved: false, why, error: trouble };
      if (isFifo && why === 'unanswered') open = asked;
    }
  }
  return { outcomes, ...defined({ trouble }) };
}

function unanswered(): MoveOutcome {
  return { moved: false, why: 'unanswered', error: new Error('SQS did not say what became of the message') };
}

function errorOf({ Code, Message }: FailedEntry): Error {
  return new Error(`SQS refused the message: ${Code ?? 'no code'} ${Message ?? ''}`.trimEnd());
}

/** SQS has answered, and did nothing. */
function isRefusal(error: Error): boolean {
  return '$fault' in error && error.$fault === 'client';
}

/** A message on its way back. */
export interface OutgoingMessage {
  readonly read: ReadMessage;
  readonly destinationUrl: string;
}

/**
 * A message as it is sent back: its body, its group, its trace and its attributes, without those of `deadLetterQueue()`.
 *
 * A FIFO queue drops what has a deduplication id that it was sent within five minutes. So the message does not get the id
 * that it had when it was sent first: a queue that failed it quickly would drop it, and it would be lost. It gets one that is
 * made of its id in the dead-letter queue: sent again because an answer was lost, or by a second person, it arrives once, and
 * when it fails again and comes back, it has another id there.
 */
export function entryOf({ read, destinationUrl }: OutgoingMessage, id: string): SendEntry {
  const { message, received } = read;
  const isFifo = destinationUrl.endsWith('.fifo');
  const groupId = message.messageGroupId ?? (isFifo ? message.messageId : undefined);
  const theirs = received.MessageAttributes ?? {};
  const attributes = message.sentBy === 'deadLetterQueue' ? withoutOurs(theirs) : theirs;
  const trace = received.Attributes?.['AWSTraceHeader'];
  return {
    Id: id,
    MessageBody: message.body,
    ...(Object.keys(attributes).length > 0 && { MessageAttributes: sendable(attributes) }),
    ...(trace !== undefined && {
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: trace } },
    }),
    ...defined({ MessageGroupId: groupId }),
    ...(isFifo && { MessageDeduplicationId: hash('sha256', `redrive ${message.messageId}`) }),
  };
}

/** Without the empty lists that a receive answers besides, and a send refuses. */
function sendable(attributes: Readonly<Record<string, MessageAttribute>>): Record<string, MessageAttribute> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      { DataType, ...defined({ StringValue, BinaryValue }) },
    ]),
  );
}

/** What SQS counts of an entry. */
export function bytesOf({ MessageBody, MessageAttributes = {} }: SendEntry): number {
  let bytes = Buffer.byteLength(MessageBody);
  for (const [name, { DataType = '', StringValue = '', BinaryValue }] of Object.entries(MessageAttributes)) {
    bytes += Buffer.byteLength(name + DataType + StringValue) + (BinaryValue?.byteLength ?? 0);
  }
  return bytes;
}

import { wait } from '../../base/clock.ts';
import { asError } from '../../claims/store-errors.ts';
import type { DeadLetterQueue } from './dead-letter-queue.ts';
import type { FailedEntry } from './dead-letter-sqs.ts';
import type { HeldMessages } from './held-messages.ts';
import { bytesOf, entryOf, type OutgoingMessage } from './send-entry.ts';

/** The outcome for a message. `unanswered`: SQS may have it. `behind`: its group stopped before it. */
export type MoveOutcome =
  | { readonly moved: true; readonly newMessageId: string | undefined }
  | { readonly moved: false; readonly why: 'refused' | 'unanswered' | 'behind'; readonly error?: Error };

const MOST_ENTRIES = 10;
/** The request size that every SQS accepts. A larger message goes alone. */
const MOST_BYTES = 256 * 1_024;
const SEND_TRIES = 3;
const DELETE_TRIES = 5;
const FIRST_PAUSE_MS = 100;

/**
 * Moves messages: sends them, then deletes those that SQS confirmed. If this process dies in between, a
 * message is in both queues and never in none. Messages of a FIFO group are sent one after another, and the
 * group stops at the first that was not taken.
 */
export class MessageMover {
  readonly #queue: DeadLetterQueue;
  readonly #held: HeldMessages;
  /** Messages that were sent but not deleted. They stay hidden, or they would be sent twice. */
  readonly undeleted: Set<string> = new Set();
  /** The error of the last request if all of it failed: the next one would probably fail too. */
  trouble: Error | undefined;

  constructor(queue: DeadLetterQueue, held: HeldMessages) {
    this.#queue = queue;
    this.#held = held;
  }

  async move(messages: readonly OutgoingMessage[]): Promise<MoveOutcome[]> {
    const outcomes = new Map<OutgoingMessage, MoveOutcome>();
    const stopped = new Set<string | undefined>();
    for (const request of requestsOf(messages)) {
      const free = request.filter((one) => !stopped.has(laneOf(one)));
      const sent = await this.#send(free);
      await this.delete(
        free.flatMap(({ read }, index) => (sent[index]?.moved ? read.message.messageId : [])),
      );
      for (const one of request) {
        const outcome = sent[free.indexOf(one)] ?? { moved: false, why: 'behind' };
        outcomes.set(one, outcome);
        const lane = laneOf(one);
        if (!outcome.moved && lane !== undefined) stopped.add(lane);
      }
    }
    return messages.map((one) => outcomes.get(one) as MoveOutcome);
  }

  /**
   * Sends messages to one queue in one request. Entries that SQS refuses for a fault of its own are sent
   * again. Entries without an answer are sent again only to a FIFO queue, which drops the duplicate; a
   * standard queue would hold the message twice.
   */
  async #send(messages: readonly OutgoingMessage[]): Promise<MoveOutcome[]> {
    this.trouble = undefined;
    const [first] = messages;
    if (first === undefined) return [];
    const { sqs, clock } = this.#queue;
    const isFifo = first.destinationUrl.endsWith('.fifo');
    const outcomes: MoveOutcome[] = [];
    const unconfirmed = new Set<number>();
    const leave = (index: number, why: 'refused' | 'unanswered', error: Error): void => {
      if (why === 'unanswered') unconfirmed.add(index);
      // What a later attempt refused, an earlier one may have sent.
      outcomes[index] = { moved: false, why: unconfirmed.has(index) ? 'unanswered' : why, error };
    };
    let open = messages.map((_, index) => index);
    for (let attempt = 1; attempt <= SEND_TRIES && open.length > 0; attempt += 1) {
      if (attempt > 1) await wait(clock, FIRST_PAUSE_MS * 2 ** (attempt - 2));
      const asked = open;
      open = [];
      try {
        const { Successful = [], Failed = [] } = await sqs.sendMessageBatch({
          QueueUrl: first.destinationUrl,
          Entries: asked.map((index) => entryOf(messages[index] as OutgoingMessage, String(index))),
        });
        this.trouble = undefined;
        for (const { Id, MessageId } of Successful)
          outcomes[Number(Id)] = { moved: true, newMessageId: MessageId };
        for (const failed of Failed) {
          leave(Number(failed.Id), 'refused', errorOf(failed));
          if (failed.SenderFault !== true) open.push(Number(failed.Id));
        }
        const answered = new Set([...Successful, ...Failed].map(({ Id }) => Number(Id)));
        for (const index of asked.filter((one) => !answered.has(one))) {
          leave(index, 'unanswered', notConfirmed());
          if (isFifo) open.push(index);
        }
      } catch (thrown) {
        this.trouble = asError(thrown);
        const why = isRefusal(this.trouble) ? 'refused' : 'unanswered';
        for (const index of asked) leave(index, why, this.trouble);
        if (isFifo && why === 'unanswered') open = asked;
      }
    }
    return outcomes;
  }

  /** Deletes messages, and returns the ids of those deleted. The others are added to `undeleted`. */
  async delete(messageIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { sqs, queueUrl, clock } = this.#queue;
    let left = [...messageIds];
    for (let attempt = 1; attempt <= DELETE_TRIES && left.length > 0; attempt += 1) {
      if (attempt > 1) await wait(clock, FIRST_PAUSE_MS * 2 ** (attempt - 2));
      try {
        const asked = left;
        const { Failed = [] } = await sqs.deleteMessageBatch({
          QueueUrl: queueUrl,
          Entries: asked.map((id, index) => ({
            Id: String(index),
            ReceiptHandle: this.#held.handleOf(id) ?? '',
          })),
        });
        left = Failed.map(({ Id }) => asked[Number(Id)]).filter((id) => id !== undefined);
      } catch (thrown) {
        if (attempt === DELETE_TRIES) this.trouble = asError(thrown);
      }
    }
    for (const id of messageIds) this.#held.letGo(id);
    for (const id of left) this.undeleted.add(id);
    return new Set(messageIds.filter((id) => !left.includes(id)));
  }
}

function notConfirmed(): Error {
  return new Error(
    'SQS did not confirm the message: it may be in both queues, so look there before moving it again',
  );
}

function errorOf({ Code, Message }: FailedEntry): Error {
  return new Error(`SQS refused the message: ${Code ?? 'no code'} ${Message ?? ''}`.trimEnd());
}

/** Whether SQS rejected the whole request, so nothing was sent. */
function isRefusal(error: Error): boolean {
  return '$fault' in error && error.$fault === 'client';
}

/** Returns the FIFO group, in which order must be kept; undefined for standard queues. */
function laneOf({ read, destinationUrl }: OutgoingMessage): string | undefined {
  return destinationUrl.endsWith('.fifo')
    ? `${destinationUrl} ${read.message.messageGroupId ?? read.message.messageId}`
    : undefined;
}

/** Splits messages into requests: each for one queue, with at most ten messages and one of each group. */
function requestsOf(messages: readonly OutgoingMessage[]): OutgoingMessage[][] {
  const requests: { readonly url: string; readonly messages: OutgoingMessage[]; bytes: number }[] = [];
  const lastOfLane = new Map<string, number>();
  for (const one of messages) {
    const lane = laneOf(one);
    const bytes = bytesOf(entryOf(one, '0'));
    const from = lane === undefined ? 0 : (lastOfLane.get(lane) ?? -1) + 1;
    let at = requests.findIndex(
      (request, index) =>
        index >= from &&
        request.url === one.destinationUrl &&
        request.messages.length < MOST_ENTRIES &&
        request.bytes + bytes <= MOST_BYTES,
    );
    if (at === -1) {
      at = requests.length;
      requests.push({ url: one.destinationUrl, messages: [], bytes: 0 });
    }
    const request = requests[at] as (typeof requests)[number];
    request.messages.push(one);
    request.bytes += bytes;
    if (lane !== undefined) lastOfLane.set(lane, at);
  }
  return requests.map((request) => request.messages);
}

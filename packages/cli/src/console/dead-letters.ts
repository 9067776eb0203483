import {
  type ClaimAdmin,
  claimJson,
  type DeadLetterMessage,
  type DeadLetterSqs,
  type KeyOfMessage,
  peekDeadLetters,
} from 'batchlatch/operations';
import type { Clock } from '../tool-base/clock.ts';
import { isoTime } from '../tool-base/iso-time.ts';
import type { MessageJson, PeekJson, QueueJson } from './api.ts';
import { ApiError, badRequest, messageOf } from './api-error.ts';
import { MOST_PEEKED } from './inputs.ts';
import { PeekedBodies } from './peeked-bodies.ts';
import { isQueueDeleted } from './queue-reader.ts';
import type { MessagesOfClaimJson } from './redrive-api.ts';
import type { SeenClaims } from './seen-claims.ts';

export interface DeadLettersPorts {
  readonly store: ClaimAdmin;
  readonly clock: Clock;
  readonly sqs: DeadLetterSqs | undefined;
  readonly key: KeyOfMessage | undefined;
  readonly queues: readonly QueueJson[];
  readonly usesReceives: boolean;
  readonly seen: SeenClaims;
  /** Whether to read the queue again for a body that is not kept. */
  readonly rereads: boolean;
}

const DEFAULT_PEEKED = 50;
/** The most messages of a look whose claims are read by keys that may be theirs. */
const MOST_SEARCHED = 50;

/** The messages of dead-letter queues with their claims. */
export class DeadLetters {
  readonly #ports: DeadLettersPorts;
  readonly #bodies = new PeekedBodies();
  /** The last peek of each queue: two concurrent ones would hide messages from each other. */
  readonly #looking = new Map<string, Promise<unknown>>();

  constructor(ports: DeadLettersPorts) {
    this.#ports = ports;
  }

  /** Returns SQS and a dead-letter queue of the console. Throws an `ApiError` for any other queue. */
  open(queue: unknown): { readonly sqs: DeadLetterSqs; readonly queueUrl: string } {
    const { sqs, queues } = this.#ports;
    const known = queues.find(({ url, name }) => url === queue || name === queue);
    if (known === undefined || sqs === undefined) {
      throw new ApiError(
        404,
        'no-queue',
        'The console was not started with this queue. Restart it with --queue or --dlq.',
      );
    }
    if (!known.isDeadLetter) {
      throw badRequest(
        'The console reads the messages of dead-letter queues only. Restart it with --dlq for this queue.',
      );
    }
    return { sqs, queueUrl: known.url };
  }

  /** Reads some messages. Without `scan`, reads at most one page of a table to find their claims. */
  async peek(
    { queue, limit = DEFAULT_PEEKED, scan = false }: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<PeekJson> {
    const { sqs, queueUrl } = this.open(queue);
    const { store, clock, key, usesReceives } = this.#ports;
    const reading = scan === true ? { store, isCut: () => false } : withoutScans(store);
    const { messages, parkedRead, ...peek } = await this.#alone(queueUrl, () =>
      peekDeadLetters(sqs, {
        queueUrl,
        limit: limit as number,
        admin: reading.store,
        clock,
        signal,
        usesReceives,
        ...(key !== undefined && { key }),
      }),
    );
    for (const { messageId, body } of messages) this.#bodies.keep(queueUrl, messageId, body);
    const found = await this.#withOtherClaims(messages, signal);
    return {
      ...peek,
      messages: found.map((message) => messageJson(message, clock.now())),
      ...(parkedRead !== undefined && { parkedRead: { ...parkedRead, isWhole: !reading.isCut() } }),
    };
  }

  /** Looks through every dead-letter queue for the messages of a claim, also of a released one. */
  async ofClaim(key: string, signal: AbortSignal): Promise<MessagesOfClaimJson> {
    const { store, queues } = this.#ports;
    const claim = await store.read(key, { signal });
    const recordId = claim?.recordId ?? key.slice(key.lastIndexOf(':') + 1);
    const isOfClaim = (message: MessageJson): boolean =>
      message.key === key ||
      (recordId !== '' && message.recordId === recordId) ||
      message.claims.some((one) => one.key === key);
    const look = async (queue: string): Promise<MessagesOfClaimJson['queues'][number]> => {
      try {
        const { messages, isWhole } = await this.peek({ queue, limit: MOST_PEEKED }, signal);
        return { queue, messages: messages.filter(isOfClaim), looked: messages.length, isWhole };
      } catch (error) {
        return { queue, messages: [], looked: 0, isWhole: false, error: messageOf(error) };
      }
    };
    const dead = queues.filter(({ isDeadLetter }) => isDeadLetter);
    return { queues: await Promise.all(dead.map(({ name }) => look(name))) };
  }

  /** Returns the body of a message that was peeked. */
  async body(
    { queue, messageId }: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<{ readonly body: string }> {
    const { queueUrl } = this.open(queue);
    const kept = (): string | undefined => this.#bodies.get(queueUrl, String(messageId));
    if (this.#ports.rereads && kept() === undefined) await this.peek({ queue, limit: MOST_PEEKED }, signal);
    const body = kept();
    if (body !== undefined) return { body };
    throw new ApiError(
      404,
      'not-peeked',
      'The body of this message is no longer kept. Read the messages of the queue again.',
    );
  }

  /** A peek by ids finds parked claims only; those that were released are read by their keys. */
  async #withOtherClaims(
    messages: readonly DeadLetterMessage[],
    signal: AbortSignal,
  ): Promise<readonly DeadLetterMessage[]> {
    const { store, seen } = this.#ports;
    const without = messages.filter(({ claims, recordId }) => claims.length === 0 && recordId !== '');
    const searched = new Set(without.slice(0, MOST_SEARCHED));
    return Promise.all(
      messages.map(async (message) => {
        if (!searched.has(message)) return message;
        const { claims } = await seen.ofRecord(store, message.recordId, signal);
        return { ...message, claims };
      }),
    );
  }

  /** Runs the peeks of a queue one after the other. */
  #alone<Answer>(queueUrl: string, look: () => Promise<Answer>): Promise<Answer> {
    const before = this.#looking.get(queueUrl) ?? Promise.resolve();
    const answer = before.then(look).catch((error: unknown) => {
      if (!isQueueDeleted(error)) throw error;
      throw new ApiError(
        410,
        'queue-deleted',
        'This queue was deleted. Restart the console without it, or create it again.',
      );
    });
    this.#looking.set(
      queueUrl,
      answer.catch(() => undefined),
    );
    return answer;
  }
}

/** Wraps the store so that a list ends after the first page of a scan. */
function withoutScans(store: ClaimAdmin): {
  readonly store: ClaimAdmin;
  readonly isCut: () => boolean;
} {
  let isCut = false;
  const list: ClaimAdmin['list'] = async (query, options) => {
    const { next, ...page } = await store.list(query, options);
    if (next === undefined) return page;
    if (page.readBy === 'index') return { ...page, next };
    isCut = true;
    return page;
  };
  return { store: { ...store, list }, isCut: () => isCut };
}

function messageJson(message: DeadLetterMessage, now: number): MessageJson {
  const { messageId, body, sentAt, receiveCount, messageGroupId, sentBy, source } = message;
  const { recordId, error, key, claims } = message;
  const time = isoTime(sentAt);
  return {
    messageId,
    ...(time !== undefined && { sentAt: time }),
    receiveCount,
    ...(messageGroupId !== undefined && { groupId: messageGroupId }),
    sentBy,
    ...(source !== undefined && { source }),
    recordId,
    ...(error !== undefined && { error }),
    ...(key !== undefined && { key }),
    claims: claims.map((claim) => claimJson(claim, now)),
    bodyLength: body.length,
  };
}

import type { SQSEvent } from 'aws-lambda';
import {
  type BatchProcessor,
  type ClaimStore,
  createBatchProcessor,
  deadLetterQueue,
  PermanentError,
  sqs as fromSqs,
  type SqsClient,
} from 'batchlatch/core';
import type { Observer } from 'batchlatch/observe';
import type { SqsHandler } from 'batchlatch/worker';
import { failureOf, keyOf, type KindOfWork, numberIn } from './kinds-of-work.ts';
import { durationOf, MOST_RECEIVES, troubleOf } from './trouble.ts';

export interface WorkHandlerOptions {
  readonly kind: KindOfWork;
  readonly seed: number;
  readonly store: ClaimStore;
  readonly sqs: SqsClient;
  readonly queueUrl: string;
  readonly deadLetterUrl: string;
  /** The retention of completed claims, in milliseconds. */
  readonly retentionMs: number;
  /** Resolves after `ms`; rejects when `signal` is aborted. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Default: nothing is observed. */
  readonly observer?: Observer;
}

/** Creates the processor of a kind of work. The number of each item determines its duration and its end. */
export function workHandler(options: WorkHandlerOptions): BatchProcessor {
  const { kind, seed, store, sqs, queueUrl, deadLetterUrl, retentionMs, delay, observer } = options;
  return createBatchProcessor<Readonly<Record<string, unknown>>>(
    async ({ body }, { attempt, signal }) => {
      const id = String(body[kind.idName]);
      const number = numberIn(id);
      const trouble = troubleOf(seed, number);
      await delay(durationOf(seed, number, attempt, trouble), signal);
      const failure = failureOf(kind, trouble, attempt, MOST_RECEIVES);
      if (failure === undefined) return kind.result(id);
      const { name, message, isForGood } = failure;
      throw Object.assign(isForGood ? new PermanentError(message) : new Error(message), { name });
    },
    {
      source: fromSqs<Readonly<Record<string, unknown>>>(),
      store,
      namespace: kind.namespace,
      key: ({ body }) => idIn(kind, body) ?? '',
      retentionMs: { completed: retentionMs },
      sqs,
      queueUrl,
      deadLetter: deadLetterQueue({ url: deadLetterUrl }),
      ...(observer !== undefined && { observer }),
    },
  );
}

/** Returns the id in a body, or undefined if there is none. */
export function idIn({ idName }: KindOfWork, body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const id = (body as Readonly<Record<string, unknown>>)[idName];
  return typeof id === 'string' ? id : undefined;
}

export interface DeathOptions extends Pick<WorkHandlerOptions, 'kind' | 'seed' | 'store'> {
  readonly newId: () => string;
  /** Shorter than the queue's visibility timeout, so that the next delivery takes over. */
  readonly leaseMs: number;
}

/**
 * Simulates processes that die: a claim that nobody settles, and a message that is delivered again. It
 * affects messages with `kills-its-process` until they are in the dead-letter queue.
 */
export function withDeaths(handler: SqsHandler, options: DeathOptions): SqsHandler {
  const { kind, seed, store, newId, leaseMs } = options;

  /** Whether the process dies with this message. If so, leaves its claim behind. */
  async function dies({ body, messageId }: SQSEvent['Records'][number]): Promise<boolean> {
    const id = idInText(kind, body);
    if (id === undefined || troubleOf(seed, numberIn(id)) !== 'kills-its-process') return false;
    const key = keyOf(kind, id);
    const claim = await store.inspect(key);
    if (claim !== undefined && (claim.status === 'COMPLETED' || claim.attempt >= MOST_RECEIVES)) return false;
    const lockedBy = `${kind.dying}:$LATEST ${newId()}`;
    await store.acquire([
      { key, owner: newId(), leaseMs, retentionMs: 7 * 86_400_000, lockedBy, recordId: messageId },
    ]);
    return true;
  }

  return async (event, context) => {
    const dead: string[] = [];
    for (const record of event.Records) if (await dies(record)) dead.push(record.messageId);
    if (dead.length === 0) return handler(event, context);
    return { batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

function idInText(kind: KindOfWork, body: string): string | undefined {
  try {
    return idIn(kind, JSON.parse(body) as unknown);
  } catch {
    return undefined;
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { MappedQueue, ReceivedMessage } from './sqs-sdk-queue.ts';
import { failedItems } from 'batchlatch/testing';
import { sqsEventOf } from './sqs-event.ts';
import type { InvocationResult } from '../invoke-result.ts';
import { passesFilters } from '../patterns/passes-filters.ts';
import { gatherBatch } from './sqs-batches.ts';

export interface SqsMappingOptions {
  readonly queue: MappedQueue;
  readonly queueArn: string;
  /** Most messages per invocation: 1 to 10,000; 1 to 10 for a FIFO queue or without a window. Default: 10. */
  readonly batchSize?: number;
  /** How long a batch may wait for more messages; not for FIFO queues. Default: 0. */
  readonly windowMs?: number;
  /** Batches in flight. Default: 5, as Lambda starts with. */
  readonly maximumConcurrency?: number | undefined;
  /** The patterns of `FilterCriteria`: a record that matches none is deleted. Default: no filter. */
  readonly filters?: readonly unknown[];
  /** Whether the answer names the failed messages; else any answer acknowledges all. Default: false. */
  readonly reportsBatchItemFailures?: boolean;
  /** Runs the function. A rejection counts as a failed invocation. */
  readonly invoke: (event: SQSEvent) => Promise<InvocationResult>;
  /** Called for each batch after its end. */
  readonly onBatch?: (batch: EndedBatch) => void;
  /** Called if the queue did not answer; the request is retried. */
  readonly onTrouble?: (error: unknown) => void;
}

/** A batch that has ended. */
export interface EndedBatch {
  readonly records: number;
  /** The ids of the messages that come again. */
  readonly failed: readonly string[];
  readonly result: InvocationResult;
}

export interface SqsMapping {
  /** Records delivered so far, with repeated deliveries. */
  readonly delivered: number;
  /** Records that the filters dropped. */
  readonly filtered: number;
  /** Stops receiving, and resolves when the batches in flight have ended. */
  stop(): Promise<void>;
}

const INITIAL_CONCURRENCY = 5;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const MOST_IN_DELETE = 10;

/**
 * Polls a queue and invokes a function, as Lambda's event source mapping for SQS does
 * (https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html). It deletes the messages that the function
 * acknowledges. The others, also those of throttled batches, become visible again after the queue's
 * visibility timeout and move to the dead-letter queue by its redrive policy.
 *
 * In a FIFO queue, SQS holds a message group back while one of its messages is in flight, so that each group
 * has one batch at a time.
 */
export function startSqsMapping(options: SqsMappingOptions): SqsMapping {
  const { queue, queueArn, maximumConcurrency = INITIAL_CONCURRENCY } = options;
  const { filters = [], reportsBatchItemFailures = false, onTrouble } = options;
  const { batchSize, windowMs } = batchLimits(options);
  const stopping = new AbortController();
  const { signal } = stopping;
  const inFlight = new Set<Promise<unknown>>();
  let delivered = 0;
  let filtered = 0;
  let pauseMs = FIRST_PAUSE_MS;

  async function poll(): Promise<void> {
    let held: readonly ReceivedMessage[] = [];
    while (!signal.aborted) {
      if (inFlight.size >= maximumConcurrency) {
        await Promise.race(inFlight);
        continue;
      }
      const { batch, rest } = await gatherBatch({ receive, batchSize, windowMs, isWanted, held, signal });
      held = rest;
      if (batch.length === 0) continue;
      const run = runBatch(batch).finally(() => inFlight.delete(run));
      inFlight.add(run);
      // The rest of a group must not run beside its beginning, nor before it if that failed: it comes again.
      if (rest.length > 0 && isFifo(queueArn)) {
        const failedGroups = await run;
        held = rest.filter((message) => !failedGroups.has(groupOf(message)));
      }
    }
  }

  async function receive(most: number, waitSeconds: number): Promise<readonly ReceivedMessage[]> {
    // One signal for each request: clients leave listeners on it.
    const request = new AbortController();
    const abort = (): void => request.abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      const messages = await queue.receive({ most, waitSeconds }, request.signal);
      pauseMs = FIRST_PAUSE_MS;
      return messages;
    } catch (error) {
      if (signal.aborted) return [];
      onTrouble?.(error);
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      return [];
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Returns the messages that pass a filter, and deletes the others, as Lambda does. */
  async function isWanted(messages: readonly ReceivedMessage[]): Promise<readonly ReceivedMessage[]> {
    if (filters.length === 0) return messages;
    const { Records } = sqsEventOf(messages, queueArn);
    const wanted = messages.filter((_, index) => isWantedRecord(Records[index]));
    filtered += messages.length - wanted.length;
    await remove(messages.filter((message) => !wanted.includes(message)));
    return wanted;
  }

  function isWantedRecord(record: SQSRecord | undefined): boolean {
    return record !== undefined && passesFilters(filters, record, { name: 'body', text: record.body });
  }

  /** Resolves to the message groups of the messages that come again. */
  async function runBatch(messages: readonly ReceivedMessage[]): Promise<ReadonlySet<string | undefined>> {
    delivered += messages.length;
    const result = await options.invoke(sqsEventOf(messages, queueArn)).catch(failedToRun);
    const failed = failedOf(
      result,
      messages.map(({ messageId }) => messageId),
    );
    await remove(messages.filter(({ messageId }) => !failed.has(messageId)));
    options.onBatch?.({ records: messages.length, failed: [...failed], result });
    return new Set(messages.filter(({ messageId }) => failed.has(messageId)).map(groupOf));
  }

  function failedOf(result: InvocationResult, messageIds: readonly string[]): ReadonlySet<string> {
    if (!result.ok) return new Set(messageIds);
    return reportsBatchItemFailures ? failedItems(result.payload, messageIds) : new Set();
  }

  async function remove(messages: readonly ReceivedMessage[]): Promise<void> {
    for (let at = 0; at < messages.length; at += MOST_IN_DELETE) {
      const handles = messages.slice(at, at + MOST_IN_DELETE).map(({ receiptHandle }) => receiptHandle);
      // Runs after a stop too. A message that could not be deleted comes again, as on AWS.
      await queue.delete(handles, new AbortController().signal).catch(onTrouble);
    }
  }

  const polling = poll();
  return {
    get delivered() {
      return delivered;
    },
    get filtered() {
      return filtered;
    },
    async stop() {
      stopping.abort();
      await polling;
      await Promise.all(inFlight);
    },
  };
}

/** Returns the limits with their defaults. Throws a `RangeError` for limits that AWS refuses. */
export function batchLimits({
  queueArn,
  batchSize = 10,
  windowMs = 0,
}: Pick<SqsMappingOptions, 'queueArn' | 'batchSize' | 'windowMs'>): {
  readonly batchSize: number;
  readonly windowMs: number;
} {
  const most = isFifo(queueArn) || windowMs === 0 ? 10 : 10_000;
  if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > most) {
    throw new RangeError(`Expected \`batchSize\` to be an integer from 1 to ${most}, got \`${batchSize}\``);
  }
  if (isFifo(queueArn) && windowMs > 0)
    throw new RangeError('A FIFO queue has no batching window: leave out `MaximumBatchingWindowInSeconds`');
  return { batchSize, windowMs };
}

function isFifo(queueArn: string): boolean {
  return queueArn.endsWith('.fifo');
}

function groupOf({ attributes }: ReceivedMessage): string | undefined {
  return attributes.MessageGroupId;
}

function failedToRun(error: unknown): InvocationResult {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { ok: false, errorType: name, errorMessage: message };
}

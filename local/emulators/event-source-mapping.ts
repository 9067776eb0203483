import { setTimeout as delay } from 'node:timers/promises';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { lambdaContext } from 'batchlatch/testing';
import { failedItems } from '../../src/worker/failed-items.ts';

export interface EventSourceMappingOptions {
  readonly sqs: Pick<SQSClient, 'send'>;
  readonly queueUrl: string;
  readonly queueArn: string;
  /** Messages of one invocation, 1 to 10. Default 10. */
  readonly batchSize?: number;
  /** Batches in flight at once. Default 1. */
  readonly concurrency?: number;
  /** For the context. Default `orders`. */
  readonly functionName?: string;
  /** The function's timeout, for the context. Default 30,000. */
  readonly timeoutMs?: number;
  /** The function: a handler of this process, or something that runs one elsewhere. */
  readonly invoke: (event: SQSEvent, context: Context) => Promise<unknown>;
}

export interface EventSourceMapping {
  /** How many records invocations have got so far, those that came again included. */
  readonly delivered: number;
  /** Receives nothing more, and resolves when the batches in flight have ended. */
  stop(): Promise<void>;
}

const LONGEST_WAIT_SECONDS = 20;
const PAUSE_AFTER_TROUBLE_MS = 100;

/**
 * Polls a queue and invokes a function with what it receives, as Lambda's event source mapping for SQS does
 * with `ReportBatchItemFailures`: of a batch that was answered, everything is deleted but what the answer
 * names; of an invocation that failed, nothing is. What is not deleted becomes visible again by the queue's
 * visibility timeout and moves to the dead-letter queue by its redrive policy; neither is touched here.
 *
 * In a FIFO queue SQS itself holds back a message group while one of its messages is in flight.
 */
export function startEventSourceMapping(options: EventSourceMappingOptions): EventSourceMapping {
  const { sqs, queueUrl, queueArn, batchSize = 10, concurrency = 1, invoke } = options;
  const { functionName = 'orders', timeoutMs = 30_000 } = options;
  if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > 10) {
    throw new RangeError(`Expected \`batchSize\` to be an integer from 1 to 10, got \`${batchSize}\``);
  }
  const stopping = new AbortController();
  let delivered = 0;

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      const messages = await receive();
      if (messages.length === 0) continue;
      delivered += messages.length;
      await remove(await acknowledgedOf(messages));
    }
  }

  async function receive(): Promise<Message[]> {
    try {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: batchSize,
          WaitTimeSeconds: LONGEST_WAIT_SECONDS,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
        { abortSignal: stopping.signal },
      );
      return Messages;
    } catch {
      // Whatever it was, the queue may be there again in a moment; when stopping, it is the aborted request.
      await delay(PAUSE_AFTER_TROUBLE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      return [];
    }
  }

  async function acknowledgedOf(messages: readonly Message[]): Promise<Message[]> {
    const records = messages.map((message) => toRecord(message, queueArn));
    try {
      const answer = await invoke(
        { Records: records },
        lambdaContext({ functionName, remainingTimeMs: timeoutMs }),
      );
      const failed = failedItems(
        answer,
        records.map(({ messageId }) => messageId),
      );
      return messages.filter(({ MessageId }) => !failed.has(MessageId ?? ''));
    } catch {
      return []; // the invocation failed: it acknowledges nothing
    }
  }

  async function remove(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    try {
      await sqs.send(
        new DeleteMessageBatchCommand({
          QueueUrl: queueUrl,
          Entries: messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
        }),
      );
    } catch {
      // What could not be deleted comes again, as on AWS.
    }
  }

  const polls = Array.from({ length: concurrency }, poll);
  return {
    get delivered() {
      return delivered;
    },
    async stop() {
      stopping.abort();
      await Promise.all(polls);
    },
  };
}

/** A message as Lambda puts it into an event. */
export function toRecord(message: Message, queueArn: string): SQSRecord {
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: { ...message.Attributes } as unknown as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, { DataType, StringValue }]) => [
        name,
        { dataType: DataType ?? 'String', ...(StringValue !== undefined && { stringValue: StringValue }) },
      ]),
    ),
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  };
}

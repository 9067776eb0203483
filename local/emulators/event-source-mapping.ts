import type { Message, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { lambdaContext } from 'batchlatch/testing';
import { type SqsMapping, startSqsMapping } from '../../src/dev/mappings/sqs-mapping.ts';
import { sdkQueue } from '../../src/dev/mappings/sqs-sdk-queue.ts';
import { sqsEventOf } from '../../src/worker/lambda-event.ts';
import { toReceived } from '../../src/worker/sqs-queue.ts';

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

export type EventSourceMapping = Pick<SqsMapping, 'delivered' | 'stop'>;

/** The event source mapping of `batchlatch dev`, with `ReportBatchItemFailures`, for a function that is called as one. */
export function startEventSourceMapping(options: EventSourceMappingOptions): EventSourceMapping {
  const { sqs, queueUrl, queueArn, batchSize = 10, concurrency = 1 } = options;
  const { functionName = 'orders', timeoutMs = 30_000, invoke } = options;
  return startSqsMapping({
    queue: sdkQueue(sqs, queueUrl),
    queueArn,
    batchSize,
    maximumConcurrency: concurrency,
    reportsBatchItemFailures: true,
    async invoke(event) {
      const payload = await invoke(event, lambdaContext({ functionName, remainingTimeMs: timeoutMs }));
      return { ok: true, payload };
    },
  });
}

/** A message as Lambda puts it into an event. */
export function toRecord(message: Message, queueArn: string): SQSRecord {
  const [record] = sqsEventOf([toReceived(message as Parameters<typeof toReceived>[0])], queueArn).Records;
  return record as SQSRecord;
}

import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { lambdaContext } from 'batchlatch/testing';
import { type SqsMapping, startSqsMapping } from '../../packages/cli/src/dev/mappings/sqs-mapping.ts';
import { sdkQueue } from '../../packages/cli/src/dev/mappings/sqs-sdk-queue.ts';
import { sqsEventOf } from '../../packages/cli/src/dev/mappings/sqs-event.ts';

export interface PollQueueOptions {
  readonly sqs: Pick<SQSClient, 'send'>;
  readonly queueUrl: string;
  readonly queueArn: string;
  /** Batches in flight at once. Default 1. */
  readonly concurrency?: number;
  /** For the context. Default `orders`. */
  readonly functionName?: string;
  /** The function's timeout, for the context. Default 30,000. */
  readonly timeoutMs?: number;
  /** The function. What it throws fails the invocation. */
  readonly handler: (event: SQSEvent, context: Context) => Promise<unknown>;
}

/** Polls a queue as Lambda does with `ReportBatchItemFailures`, and hands what it receives to a handler of the caller. */
export function pollQueue(options: PollQueueOptions): SqsMapping {
  const { sqs, queueUrl, queueArn, concurrency = 1, handler } = options;
  const { functionName = 'orders', timeoutMs = 30_000 } = options;
  return startSqsMapping({
    queue: sdkQueue(sqs, queueUrl),
    queueArn,
    maximumConcurrency: concurrency,
    reportsBatchItemFailures: true,
    async invoke(event) {
      const context = lambdaContext({ functionName, remainingTimeMs: timeoutMs });
      return { ok: true, payload: await handler(event, context) };
    },
  });
}

/** Up to ten messages as Lambda would deliver them; does not wait. */
export async function receiveEvent(
  sqs: Pick<SQSClient, 'send'>,
  { queueUrl, queueArn }: { readonly queueUrl: string; readonly queueArn: string },
): Promise<SQSEvent> {
  const request = { most: 10, waitSeconds: 0 };
  const messages = await sdkQueue(sqs, queueUrl).receive(request, new AbortController().signal);
  return sqsEventOf(messages, queueArn);
}

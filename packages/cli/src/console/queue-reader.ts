import type { QueueFactsJson, QueueJson } from './api.ts';
import { messageOf } from './api-error.ts';

/** The SQS method that reads queues; `SQS` of `@aws-sdk/client-sqs` fits. */
export interface QueueFactsSqs {
  getQueueAttributes(
    input: { QueueUrl: string; AttributeNames: ['All'] },
    options?: { abortSignal?: AbortSignal },
  ): Promise<{ Attributes?: Partial<Record<string, string>> | undefined }>;
}

/** Metrics that only CloudWatch has. */
export interface QueueMetrics {
  readonly oldestAgeMs?: number;
  readonly noisyGroups?: number;
}

/** Reads the state of queues. A queue that cannot be read gets an `error`. */
export async function readQueues(
  sqs: QueueFactsSqs | undefined,
  queues: readonly QueueJson[],
  metrics: ReadonlyMap<string, QueueMetrics>,
  signal: AbortSignal,
): Promise<readonly QueueFactsJson[]> {
  return Promise.all(
    queues.map(async (queue) => {
      if (sqs === undefined) return queue;
      try {
        const { Attributes: attributes = {} } = await sqs.getQueueAttributes(
          { QueueUrl: queue.url, AttributeNames: ['All'] },
          { abortSignal: signal },
        );
        return { ...queue, ...countsIn(attributes), ...metrics.get(queue.url) };
      } catch (error) {
        return { ...queue, error: messageOf(error) };
      }
    }),
  );
}

function countsIn(attributes: Partial<Record<string, string>>): Partial<QueueFactsJson> {
  const of = (name: string): number | undefined => {
    const count = Number(attributes[name] ?? Number.NaN);
    return Number.isFinite(count) ? count : undefined;
  };
  const [waiting, inFlight, delayed] = [
    of('ApproximateNumberOfMessages'),
    of('ApproximateNumberOfMessagesNotVisible'),
    of('ApproximateNumberOfMessagesDelayed'),
  ];
  return {
    ...(waiting !== undefined && { waiting }),
    ...(inFlight !== undefined && { inFlight }),
    ...(delayed !== undefined && { delayed }),
  };
}

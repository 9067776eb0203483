import type { RedeliverySettings } from 'batchlatch/operations';
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
        return isQueueDeleted(error)
          ? { ...queue, isDeleted: true, error: 'This queue was deleted.' }
          : { ...queue, error: messageOf(error) };
      }
    }),
  );
}

/** Returns whether SQS says that there is no such queue. Its name of the error depends on the protocol. */
export function isQueueDeleted(error: unknown): boolean {
  const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  return [name, code].some((text) => /QueueDoesNotExist|NonExistentQueue/.test(String(text)));
}

/** Returns how a queue delivers messages again; undefined if the attributes do not say. */
export function redeliveryIn(attributes: Partial<Record<string, string>>): RedeliverySettings | undefined {
  const { VisibilityTimeout: visibility = '', RedrivePolicy: policy = '{}' } = attributes;
  if (!/^\d+$/.test(visibility)) return undefined;
  const maxReceiveCount = maxReceiveCountIn(policy);
  return {
    visibilityTimeoutSeconds: Number(visibility),
    ...(maxReceiveCount !== undefined && { maxReceiveCount }),
  };
}

/** SQS writes the number as a number or a string. */
function maxReceiveCountIn(policy: string): number | undefined {
  try {
    const { maxReceiveCount } = JSON.parse(policy) as { readonly maxReceiveCount?: unknown };
    const count = Number(maxReceiveCount);
    return Number.isInteger(count) && count > 0 ? count : undefined;
  } catch {
    return undefined;
  }
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
  const redelivery = redeliveryIn(attributes);
  return {
    ...(redelivery !== undefined && { redelivery }),
    ...(waiting !== undefined && { waiting }),
    ...(inFlight !== undefined && { inFlight }),
    ...(delayed !== undefined && { delayed }),
  };
}

import type { SqsClient } from './sqs-client.ts';
import { ConfigurationError } from '../base/errors.ts';
import { indexesBy } from '../base/indexes-by.ts';

export interface VisibilityChange {
  readonly queueUrl: string;
  readonly receiptHandle: string;
  /** The delay from now, in milliseconds; rounded up to whole seconds for SQS. */
  readonly delayMs: number;
}

/** SQS's limit for one request. */
const ENTRIES_PER_REQUEST = 10;
/** SQS refuses a timeout that ends more than 12 hours after the receive, which is some minutes ago. */
const LONGEST_SECONDS = 11 * 60 * 60;

/**
 * Changes the visibility timeouts of messages, ten per request, in the order given. Returns for each change
 * its error or undefined; after an error, the queue's own timeout applies.
 */
export async function changeVisibilities(
  client: Pick<SqsClient, 'changeMessageVisibilityBatch'>,
  changes: readonly VisibilityChange[],
  signal?: AbortSignal,
): Promise<(Error | undefined)[]> {
  const errors: (Error | undefined)[] = changes.map(() => undefined);
  await Promise.all(
    [...groupsOf(changes)].map(async ({ queueUrl, indexes }) => {
      try {
        const { Failed = [] } = await client.changeMessageVisibilityBatch(
          {
            QueueUrl: queueUrl,
            Entries: indexes.map((index) => {
              const { receiptHandle, delayMs } = changes[index] as VisibilityChange;
              return { Id: String(index), ReceiptHandle: receiptHandle, VisibilityTimeout: seconds(delayMs) };
            }),
          },
          signal && { abortSignal: signal },
        );
        for (const { Id, Code, Message } of Failed) {
          errors[Number(Id)] = new Error(
            `SQS did not change the visibility: ${Code ?? 'no code'} ${Message ?? ''}`.trimEnd(),
          );
        }
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        for (const index of indexes) errors[index] = error;
      }
    }),
  );
  return errors;
}

function* groupsOf(
  changes: readonly VisibilityChange[],
): Generator<{ readonly queueUrl: string; readonly indexes: readonly number[] }> {
  for (const [queueUrl, indexes] of indexesBy(changes, (change) => change.queueUrl)) {
    for (let start = 0; start < indexes.length; start += ENTRIES_PER_REQUEST) {
      yield { queueUrl, indexes: indexes.slice(start, start + ENTRIES_PER_REQUEST) };
    }
  }
}

function seconds(delayMs: number): number {
  return Math.min(Math.max(Math.ceil(delayMs / 1_000), 0), LONGEST_SECONDS);
}

/** Returns the URL of a queue for its ARN. */
export type QueueUrlOf = (queueArn: string) => string;

/**
 * Returns the URL of a queue for its ARN (`arn:aws:sqs:region:account:name`), at `endpoint` or at AWS's own
 * for the region. The AWS SDK sends requests to the host of the queue URL, whatever its configured endpoint.
 */
export function queueUrlOf(queueArn: string, endpoint?: string): string {
  const [, partition, service, region, account, name] = queueArn.split(':');
  if (service !== 'sqs' || !region || !account || !name) {
    throw new ConfigurationError(
      `Cannot derive the queue's URL from the ARN \`${queueArn}\`; set \`queueUrl\``,
    );
  }
  const suffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  if (endpoint !== undefined) return new URL(`/${account}/${name}`, endpoint).href;
  return `https://sqs.${region}.${suffix}/${account}/${name}`;
}

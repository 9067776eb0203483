import type { SqsClient } from './sqs-client.ts';

/** When one message becomes visible again. */
export interface VisibilityChange {
  readonly queueUrl: string;
  readonly receiptHandle: string;
  /** From now, in milliseconds; rounded up to SQS's whole seconds. */
  readonly delayMs: number;
}

/** SQS's limits: entries in one request, and how long a message can stay invisible. */
const ENTRIES_PER_REQUEST = 10;
const LONGEST_SECONDS = 12 * 60 * 60;

/**
 * Asks SQS to show messages again after their delays, ten in a request, in the order given. Answers for each
 * change the error, if there was one: a change that did not happen only means the queue's own timeout.
 */
export async function changeVisibilities(
  client: Pick<SqsClient, 'changeMessageVisibilityBatch'>,
  changes: readonly VisibilityChange[],
  signal?: AbortSignal,
): Promise<(Error | undefined)[]> {
  const errors: (Error | undefined)[] = changes.map(() => undefined);
  const groups = [...groupsOf(changes)];
  await Promise.all(
    groups.map(async ({ queueUrl, indexes }) => {
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

/** Requests of ten messages of one queue each. */
function* groupsOf(
  changes: readonly VisibilityChange[],
): Generator<{ readonly queueUrl: string; readonly indexes: readonly number[] }> {
  const byQueue = new Map<string, number[]>();
  changes.forEach(({ queueUrl }, index) => {
    const indexes = byQueue.get(queueUrl);
    if (indexes === undefined) byQueue.set(queueUrl, [index]);
    else indexes.push(index);
  });
  for (const [queueUrl, indexes] of byQueue) {
    for (let start = 0; start < indexes.length; start += ENTRIES_PER_REQUEST) {
      yield { queueUrl, indexes: indexes.slice(start, start + ENTRIES_PER_REQUEST) };
    }
  }
}

function seconds(delayMs: number): number {
  return Math.min(Math.max(Math.ceil(delayMs / 1_000), 0), LONGEST_SECONDS);
}

import type { Entry } from '../batch/entry.ts';
import type { BatchScope } from '../batch/scope.ts';
import { boundedSqs } from '../queues/bounded-sqs.ts';
import { queueUrlOf } from '../queues/queue-url.ts';
import { changeVisibilities, type VisibilityChange } from '../queues/visibility.ts';

/**
 * Tells SQS when to show these messages again; records of other sources are left out. A failure is reported to the
 * observer and changes nothing else: the queue's own visibility timeout then applies.
 */
export async function showAgain(
  delays: readonly { readonly entry: Entry; readonly delayMs: number }[],
  scope: BatchScope,
  signal?: AbortSignal,
): Promise<void> {
  if (scope.sqs === undefined) return;
  const told: Entry[] = [];
  const changes: VisibilityChange[] = [];
  for (const { entry, delayMs } of delays) {
    const change = visibilityChange(entry, delayMs, scope);
    if (change === undefined) continue;
    told.push(entry);
    changes.push(change);
  }
  const errors = await changeVisibilities(boundedSqs(scope.sqs, scope.clock), changes, signal);
  errors.forEach((error, index) => {
    const { recordId } = told[index] as Entry;
    if (error !== undefined) scope.notify({ type: 'visibilityNotChanged', recordId, error });
  });
}

/** Undefined if the record did not come from SQS, or if the queue's URL cannot be derived. */
function visibilityChange(
  { record, recordId }: Pick<Entry, 'record' | 'recordId'>,
  delayMs: number,
  { settings: { queueUrl, sqsEndpoint }, notify }: BatchScope,
): VisibilityChange | undefined {
  if (record?.source !== 'sqs') return undefined;
  const { receiptHandle, eventSourceARN } = record.raw;
  try {
    const url = queueUrl === undefined ? queueUrlOf(eventSourceARN, sqsEndpoint) : queueUrl(eventSourceARN);
    return { queueUrl: url, receiptHandle, delayMs };
  } catch (error) {
    notify({ type: 'visibilityNotChanged', recordId, error });
    return undefined;
  }
}

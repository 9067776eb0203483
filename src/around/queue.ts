import type { BatchContext } from '../batch/context.ts';
import type { PlannedRecord } from '../batch/plan.ts';
import { boundedSqs } from '../queues/sqs-client.ts';
import { queueUrlOf, changeVisibilities, type VisibilityChange } from '../queues/visibility.ts';

/** Changes the visibility timeouts of SQS messages. After a failure, the queue's own timeout applies. */
export async function showAgain(
  delays: readonly { readonly record: PlannedRecord; readonly delayMs: number }[],
  context: BatchContext,
  signal?: AbortSignal,
): Promise<void> {
  const { sqs, time, watch } = context;
  if (sqs === undefined) return;
  const changes = delays.flatMap(({ record, delayMs }) => visibilityChange(record, delayMs, context) ?? []);
  const errors = await changeVisibilities(boundedSqs(sqs, time.clock), changes, signal);
  for (const [index, { recordId }] of changes.entries()) {
    const error = errors[index];
    if (error !== undefined) watch.notify({ type: 'visibilityNotChanged', recordId, error });
  }
}

/** Returns undefined if the record is not from SQS, or if no URL can be derived for its queue. */
function visibilityChange(
  { record, recordId }: PlannedRecord,
  delayMs: number,
  { settings: { queueUrl, sqsEndpoint }, watch }: BatchContext,
): (VisibilityChange & Pick<PlannedRecord, 'recordId'>) | undefined {
  if (record?.source !== 'sqs') return undefined;
  const { receiptHandle, eventSourceARN } = record.raw;
  try {
    const url = queueUrl === undefined ? queueUrlOf(eventSourceARN, sqsEndpoint) : queueUrl(eventSourceARN);
    return { recordId, queueUrl: url, receiptHandle, delayMs };
  } catch (error) {
    watch.notify({ type: 'visibilityNotChanged', recordId, error });
    return undefined;
  }
}

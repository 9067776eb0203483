import type { BatchContext } from '../batch/context.ts';
import type { PlannedRecord } from '../batch/plan.ts';
import { boundedSqs } from '../queues/sqs-client.ts';
import { queueUrlOf, changeVisibilities, type VisibilityChange } from '../queues/visibility.ts';

/**
 * Tells SQS when to show these messages again; records of other sources are left out. A failure is reported to the
 * observer and changes nothing else: the queue's own visibility timeout then applies.
 */
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

/** Undefined if the record did not come from SQS, or if the queue's URL cannot be derived. */
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

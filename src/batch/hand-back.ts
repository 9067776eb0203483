import { changeVisibilities, type VisibilityChange } from '../queues/visibility.ts';
import type { InvocationScope } from './attempt.ts';
import { redeliveryDelayMs } from './backoff.ts';
import type { Entry } from './entry.ts';
import { isAcknowledged } from './outcomes.ts';

/**
 * Tells SQS when to show again what is handed back. A failure of this is told to the observer and changes
 * nothing else: the queue's own visibility timeout then says when.
 */
export async function delayRedeliveries(entries: readonly Entry[], scope: InvocationScope): Promise<void> {
  const { settings, ports, deadline } = scope;
  const { visibility } = settings;
  if (visibility === undefined || ports.sqs === undefined) return;
  const now = ports.clock.now();
  const laneDelays = new Map<string, number>();
  const delayed: Entry[] = [];
  const changes: VisibilityChange[] = [];
  for (const entry of entries) {
    if (isAcknowledged(entry.outcome)) continue;
    // What stands behind a failure of its group becomes visible together with it: the group stays in order.
    const delayMs =
      (entry.lane === undefined ? undefined : laneDelays.get(entry.lane)) ??
      redeliveryDelayMs(entry, visibility, now, ports.random);
    if (entry.lane !== undefined) laneDelays.set(entry.lane, delayMs);
    const change = visibilityChange(entry, delayMs, scope);
    if (change === undefined) continue;
    delayed.push(entry);
    changes.push(change);
  }
  const errors = await changeVisibilities(ports.sqs, changes, deadline.answerNow);
  noteFailures(delayed, errors, scope);
}

/** Undefined where the record did not come from SQS, or where the queue's URL cannot be told. */
export function visibilityChange(
  { record, recordId }: Pick<Entry, 'record' | 'recordId'>,
  delayMs: number,
  { settings, ports }: Pick<InvocationScope, 'settings' | 'ports'>,
): VisibilityChange | undefined {
  if (record?.source !== 'sqs') return undefined;
  const { receiptHandle, eventSourceARN } = record.raw;
  try {
    return { queueUrl: settings.queueUrl(eventSourceARN), receiptHandle, delayMs };
  } catch (error) {
    ports.observer.onEvent({ type: 'visibilityNotChanged', recordId, error });
    return undefined;
  }
}

export function noteFailures(
  entries: readonly Entry[],
  errors: readonly (Error | undefined)[],
  { ports }: Pick<InvocationScope, 'ports'>,
): void {
  errors.forEach((error, index) => {
    if (error === undefined) return;
    const { recordId } = entries[index] as Entry;
    ports.observer.onEvent({ type: 'visibilityNotChanged', recordId, error });
  });
}

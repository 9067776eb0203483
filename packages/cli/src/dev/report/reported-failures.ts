import { failedItems } from 'batchlatch/testing';
import type { InvocationEnd } from '../functions/ipc-messages.ts';
import type { DevFunction } from '../stack.ts';
import { recordIds } from './record-names.ts';

/**
 * The ids of the records that an answer gives back, read as the event source mapping reads it. Empty where
 * no mapping of the function has `ReportBatchItemFailures`: then Lambda does not look at the answer.
 */
export function reportedFailures(
  { triggers }: Pick<DevFunction, 'triggers'>,
  event: unknown,
  end: InvocationEnd,
): ReadonlySet<string> {
  const isRead = triggers.some(
    (trigger) => 'reportsBatchItemFailures' in trigger && trigger.reportsBatchItemFailures,
  );
  if (!isRead || end.type !== 'returned') return new Set();
  return failedItems(JSON.parse(end.payload), recordIds(event));
}

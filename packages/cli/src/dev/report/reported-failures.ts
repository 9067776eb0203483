import { failedItems } from 'batchlatch/testing';
import type { InvocationEnd } from '../functions/ipc-messages.ts';
import type { DevFunction } from '../stack.ts';
import { recordIds } from './record-names.ts';

/**
 * Returns the ids of the records that an answer hands back, as the event source mapping reads it. Empty if no
 * mapping of the function has `ReportBatchItemFailures`: Lambda then ignores the answer.
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

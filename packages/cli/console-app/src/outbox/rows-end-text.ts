import type { JobJson, OutboxOperation, RowsResult } from '../api-types.ts';
import { counted, numberText } from '../text/numbers.ts';
import { ROW_OPERATION_DONE } from '../text/row-words.ts';
import { shown } from '../text/shown.ts';

/** Returns the result of a change of rows, if there is one. */
export function rowsResultOf({ what, result }: JobJson): RowsResult | undefined {
  return what === 'outbox' ? (result as RowsResult | undefined) : undefined;
}

/** Returns whether every row was changed. */
export function areAllChanged({ refused, failed, notSent }: RowsResult): boolean {
  return failed + notSent === 0 && Object.values(refused).every((count) => count === 0);
}

/** Returns a text such as `3 rows released, 1 refused`. */
export function rowsEndText(operation: OutboxOperation, job: JobJson): string {
  const result = rowsResultOf(job);
  if (result === undefined) return `The change ended early: ${shown(job.error ?? 'the reason is not known')}`;
  const refused = Object.values(result.refused).reduce((sum, count) => sum + count, 0);
  return [
    `${counted(result.done, 'row')} ${ROW_OPERATION_DONE[operation]}`,
    ...(refused > 0 ? [`${numberText(refused)} refused`] : []),
    ...(result.failed > 0 ? [`${numberText(result.failed)} failed`] : []),
    ...(result.notSent > 0 ? [`${numberText(result.notSent)} not changed, because it was stopped`] : []),
  ].join(', ');
}

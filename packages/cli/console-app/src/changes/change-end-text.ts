import type { ChangesResult, JobJson, OperationKind } from '../api-types.ts';
import { counted, numberText } from '../text/numbers.ts';
import { shown } from '../text/shown.ts';
import { OPERATION_DONE } from '../text/words.ts';

/** Returns the result of a change, if there is one. */
export function changeResultOf({ what, result }: JobJson): ChangesResult | undefined {
  return what === 'change' ? (result as ChangesResult | undefined) : undefined;
}

/** Returns whether every claim was changed. */
export function isAllChanged({ refused, failed, notSent }: ChangesResult): boolean {
  return failed + notSent === 0 && Object.values(refused).every((count) => count === 0);
}

/** Returns a text such as `3 claims released, 1 refused`. */
export function changeEndText(operation: OperationKind, job: JobJson): string {
  const result = changeResultOf(job);
  if (result === undefined) return `The change ended early: ${shown(job.error ?? 'the reason is not known')}`;
  const refused = Object.values(result.refused).reduce((sum, count) => sum + count, 0);
  return [
    `${counted(result.done, 'claim')} ${OPERATION_DONE[operation]}`,
    ...(refused > 0 ? [`${numberText(refused)} refused`] : []),
    ...(result.failed > 0 ? [`${numberText(result.failed)} failed`] : []),
    ...(result.notSent > 0 ? [`${numberText(result.notSent)} not changed, because it was stopped`] : []),
  ].join(', ');
}

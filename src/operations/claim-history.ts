import type { Claim, OperatorChange } from '../claims/claim.ts';

/** What was done, for a sentence such as `released by ann`. */
const OPERATION_DONE: Readonly<Record<OperatorChange['operation'], string>> = {
  release: 'released',
  resolve: 'resolved',
  park: 'parked',
  forget: 'forgotten',
};

/** The changes of a claim by people. A row's history is text that anybody who writes to the table may have written. */
export function changesOf({ history }: Pick<Claim, 'history'>): readonly OperatorChange[] {
  return (history ?? []).filter(isWhole);
}

function isWhole(change: unknown): change is OperatorChange {
  if (typeof change !== 'object' || change === null) return false;
  const { at, operation, operator, reason, from } = change as Partial<OperatorChange>;
  return (
    typeof at === 'number' &&
    Object.hasOwn(OPERATION_DONE, operation ?? '') &&
    [operator, reason, from?.status].every((text) => typeof text === 'string') &&
    isError(from?.error)
  );
}

function isError(error: OperatorChange['from']['error']): boolean {
  return error === undefined || (typeof error?.name === 'string' && typeof error.message === 'string');
}

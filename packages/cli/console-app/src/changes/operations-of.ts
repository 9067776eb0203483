import type { ClaimJson, ClaimState, OperationKind, ParkedKind } from '../api-types.ts';

/** Returns the operations that a claim is likely to need, the likeliest first. */
export function operationsOf({
  state,
  parkedKind,
  releasedAt,
}: Pick<ClaimJson, 'state' | 'parkedKind' | 'releasedAt'>): readonly OperationKind[] {
  if (releasedAt !== undefined) return OPERATIONS_OF_RELEASED;
  return parkedKind === undefined ? OPERATIONS_OF[state] : OPERATIONS_OF_PARKED[parkedKind];
}

/** A release of a claim whose outcome is unknown, or whose work is done, may repeat the work. */
const OPERATIONS_OF_PARKED: Readonly<Record<ParkedKind, readonly OperationKind[]>> = {
  lapsed: ['resolve', 'release', 'forget'],
  failed: ['release', 'resolve', 'forget'],
  attempts: ['release', 'resolve', 'forget'],
  done: ['resolve', 'release', 'forget'],
};

/** A second release would change nothing. */
const OPERATIONS_OF_RELEASED: readonly OperationKind[] = ['resolve', 'park', 'forget'];

const OPERATIONS_OF: Readonly<Record<ClaimState, readonly OperationKind[]>> = {
  'in-progress': ['park', 'resolve', 'release', 'forget'],
  overdue: ['resolve', 'release', 'park', 'forget'],
  parked: ['release', 'resolve', 'forget'],
  failed: ['release', 'resolve', 'park', 'forget'],
  completed: ['forget', 'resolve', 'release', 'park'],
};

import type { OperationKind } from 'batchlatch/operations';

/** What was done, for a sentence such as `released by ann`. */
export const OPERATION_DONE: Readonly<Record<OperationKind, string>> = {
  release: 'released',
  resolve: 'resolved',
  park: 'parked',
  forget: 'forgotten',
};

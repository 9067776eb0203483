import type { OperationKind } from 'batchlatch/operations';

/** The past participle of each operation, for texts such as `released by ann`. */
export const OPERATION_DONE: Readonly<Record<OperationKind, string>> = {
  release: 'released',
  resolve: 'resolved',
  park: 'parked',
  forget: 'forgotten',
};

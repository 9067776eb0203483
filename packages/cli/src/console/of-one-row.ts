import { hasCode } from '../tool-base/errors.ts';

const OF_ONE_ROW = ['BATCHLATCH_NOT_A_CLAIM', 'BATCHLATCH_NEWER_ROW', 'BATCHLATCH_KEY'];

/** Returns whether an error is about one key: its row is no claim or a newer one, or no store can hold it. */
export function isOfOneRow(error: unknown): boolean {
  return OF_ONE_ROW.some((code) => hasCode(error, code));
}

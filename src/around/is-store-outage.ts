import { hasCode } from '../base/errors.ts';

/** Errors of one claim and not of the store: another worker holds it, or a person has to look at it. */
const OF_ONE_CLAIM = [
  'BATCHLATCH_CONTENDED',
  'BATCHLATCH_NOT_A_CLAIM',
  'BATCHLATCH_NEWER_ROW',
  'BATCHLATCH_ITEM_TOO_LARGE',
];

/** Whether a store's error means that the store is unavailable, and not that one row cannot be used. */
export function isStoreOutage(error: Error): boolean {
  return !OF_ONE_CLAIM.some((code) => hasCode(error, code));
}

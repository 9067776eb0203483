import { StoreError } from '../../base/errors.ts';

/** The database returned fewer answers than rows. */
export function noOutcome(): StoreError {
  return new StoreError('The database returned no outcome for a row', { isRetryable: true });
}

import { StoreError } from '../../claims/errors.ts';

/** The database answered for fewer rows than it was asked. */
export function noOutcome(): StoreError {
  return new StoreError('The database returned no outcome for a row', { isRetryable: true });
}

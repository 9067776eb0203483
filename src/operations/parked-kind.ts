import type { Claim, StoredError } from '../claims/claim.ts';
import { changesOf } from './claim-timeline.ts';

/**
 * Why a claim is parked, which decides what a person does with it:
 *
 * - `lapsed`: the outcome is unknown. The lease lapsed (`onLapsedLease: 'park'`), or the response of an HTTP
 *   handler had no status. Find out whether the work was done; then resolve the claim, or release it.
 * - `failed`: the handler failed for good, or at its last attempt. Repair the cause, and release the claim.
 * - `attempts`: `maxCrashes` or `maxAttempts` was reached by attempts that crashed, or before this one ran.
 *   Find the cause, and release the claim.
 * - `done`: the work is done, but its result could not be kept. A release runs the work a second time.
 */
export type ParkedKind = 'lapsed' | 'failed' | 'attempts' | 'done';

export const PARKED_KINDS: readonly ParkedKind[] = ['lapsed', 'failed', 'attempts', 'done'];

/** The codes of the errors with which claims are parked; every other error is the handler's own. */
const KINDS_OF_CODES: ReadonlyMap<string, ParkedKind> = new Map([
  ['BATCHLATCH_LAPSED_LEASE', 'lapsed'],
  ['BATCHLATCH_RESPONSE_UNREADABLE', 'lapsed'],
  ['BATCHLATCH_TOO_MANY_ATTEMPTS', 'attempts'],
  ['BATCHLATCH_TOO_MANY_CRASHES', 'attempts'],
  ['BATCHLATCH_UNSERIALIZABLE_RESULT', 'done'],
  ['BATCHLATCH_RESPONSE_NOT_KEPT', 'done'],
]);

/**
 * Returns why a claim is parked; undefined if it is not parked. A claim that a person parked keeps the kind
 * it had; one that was overdue is `lapsed`, and one that was completed is `done`.
 *
 * @param claim A claim as the store returned it.
 */
export function parkedKindOf(claim: Pick<Claim, 'status' | 'error' | 'history'>): ParkedKind | undefined {
  if (claim.status !== 'PARKED') return undefined;
  let { error } = claim;
  // A person's change replaces the error, so the claim before the change decides.
  for (const { operation, from } of changesOf(claim).toReversed()) {
    if (operation !== 'park') break;
    if (from.status !== 'PARKED') return KINDS_BEFORE_PARK[from.status] ?? 'lapsed';
    ({ error } = from);
  }
  return kindOfError(error);
}

/** The kind of a claim that a person parked, by its status before. */
const KINDS_BEFORE_PARK: Readonly<Record<string, ParkedKind>> = {
  IN_PROGRESS: 'lapsed',
  FAILED: 'failed',
  COMPLETED: 'done',
};

/** A row without a readable error does not say whether its work was done. */
function kindOfError(error: StoredError | undefined): ParkedKind {
  if (error === undefined) return 'lapsed';
  return KINDS_OF_CODES.get(error.code ?? '') ?? 'failed';
}

import { hasCode } from '../base/errors.ts';
import type { StoreErrorPolicy } from '../batch/context.ts';

/**
 * Returns the policy for `onStoreError` that runs records without a claim while the store is unavailable,
 * possibly twice. Each outcome and a log line say so. A completion that cannot be stored is acknowledged
 * anyway. For work where a delay is worse than a repetition; without this policy, such records are handed
 * back.
 *
 * @example
 * createBatchProcessor(handler, { onStoreError: runWithoutClaim() });
 */
export function runWithoutClaim(): StoreErrorPolicy {
  return {
    option: 'onStoreError',
    goWithout(attempt, error, { time, claims, watch }) {
      if (!isStoreOutage(error)) return false;
      const { recordId, key } = attempt;
      watch.notify({ type: 'withoutClaim', recordId, key, error });
      // The attempt has no fencing token, and another one may run at the same time.
      attempt.goWithout(claims.newOwner(), time.clock.now() + time.leaseMs());
      return true;
    },
    notStored({ recordId, key }, error, { watch }) {
      watch.notify({ type: 'withoutClaim', recordId, key, error });
      return { status: 'completed', withoutClaim: true };
    },
  };
}

/** Errors that concern one row: another worker holds it, or a person has to look at it. */
const OF_ONE_CLAIM = [
  'BATCHLATCH_CONTENDED',
  'BATCHLATCH_NOT_A_CLAIM',
  'BATCHLATCH_NEWER_ROW',
  'BATCHLATCH_ITEM_TOO_LARGE',
];

/** Returns whether the error means that the store is unavailable, rather than that one row is unusable. */
export function isStoreOutage(error: Error): boolean {
  return !OF_ONE_CLAIM.some((code) => hasCode(error, code));
}

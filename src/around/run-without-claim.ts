import { hasCode } from '../base/errors.ts';
import type { StoreErrorPolicy } from '../batch/context.ts';

/**
 * For `onStoreError`: while the claim store is unavailable, records run without a claim, possibly twice, and every
 * outcome and a log line say so; a completion that cannot be stored is acknowledged all the same. For work where a delay
 * is worse than a repetition. Without it, such records are handed back.
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
      // It has no fencing token, and another run may start beside it.
      attempt.goWithout(claims.newOwner(), time.clock.now() + time.leaseMs());
      return true;
    },
    notStored({ recordId, key }, error, { watch }) {
      watch.notify({ type: 'withoutClaim', recordId, key, error });
      return { status: 'completed', withoutClaim: true };
    },
  };
}

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

import type { StoreErrorPolicy } from '../batch/context.ts';
import { isStoreOutage } from './is-store-outage.ts';

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

import type { Lease } from '../attempts/lease.ts';
import type { Entry } from '../batch/entry.ts';
import type { Policy } from '../batch/policy.ts';
import type { Runnable } from '../batch/runnable.ts';
import type { BatchScope } from '../batch/scope.ts';
import { isOutage } from './outage.ts';

/**
 * For `onStoreError`: while the claim store is unavailable, records run without a claim, possibly twice, and every
 * outcome and a log line say so; a completion that cannot be stored is acknowledged all the same. For work where a delay
 * is worse than a repetition. Without it, such records are handed back.
 *
 * @example
 * createBatchProcessor(handler, { onStoreError: runWithoutClaim() });
 */
export function runWithoutClaim(): Policy<'onStoreError'> {
  return {
    option: 'onStoreError',
    onClaimError: (entry, error, scope) => (isOutage(error) ? unclaimed(entry, error, scope) : undefined),
    onCompletionNotStored({ recordId, key }, error, { notify }) {
      notify({ type: 'withoutClaim', recordId, key, error });
      return { status: 'completed', withoutClaim: true };
    },
  };
}

/** It has no fencing token (attempt 0), and another run may start beside it. */
function unclaimed(entry: Entry, error: Error, scope: BatchScope): Runnable {
  const { recordId, key } = entry;
  scope.notify({ type: 'withoutClaim', recordId, key, error });
  const lease: Lease = {
    leaseUntil: scope.clock.now() + scope.leaseMs(),
    isCommitted: false,
    extend: async () => 'stored',
  };
  return { entry, attempt: undefined, lease, facts: { recordId, key, owner: scope.newOwner(), attempt: 0 } };
}

import { hasCode } from '../claims/errors.ts';
import type { SettleOutcome } from '../claims/claim-store.ts';
import { Attempt, type InvocationScope, leaseMsNow } from './attempt.ts';
import type { Entry } from './entry.ts';
import type { HandlerReturn } from './handler-end.ts';
import type { RecordOutcome } from './outcomes.ts';

/** What is wrong with one claim and not with the store: somebody else works on it, or a person has to look. */
const OF_ONE_CLAIM = ['BATCHLATCH_CONTENDED', 'BATCHLATCH_NOT_A_CLAIM', 'BATCHLATCH_ITEM_TOO_LARGE'];

/** Whether a store's error means that it is out of order, and not that one row is. */
export function isOutage(error: Error): boolean {
  return !OF_ONE_CLAIM.some((code) => hasCode(error, code));
}

/**
 * A run without a claim, for `onStoreError: 'run'`. It has no fencing token (attempt 0), writes nothing, and
 * another may run beside it.
 */
export class UnclaimedAttempt extends Attempt {
  constructor(entry: Entry, scope: InvocationScope) {
    const leaseUntil = scope.ports.clock.now() + leaseMsNow(scope);
    super(entry, { owner: scope.ports.newOwner(), attempt: 0, releases: 0, crashes: 0, leaseUntil }, scope);
  }

  override get isClaimed(): boolean {
    return false;
  }

  override async extend(): Promise<SettleOutcome> {
    return 'stored';
  }

  override async release(): Promise<SettleOutcome> {
    return 'stored';
  }

  override async settle(end: HandlerReturn): Promise<RecordOutcome> {
    return end.kind === 'returned'
      ? { status: 'completed', withoutClaim: true }
      : { status: 'failed', error: end.error, withoutClaim: true };
  }

  override async settleLate(): Promise<void> {
    // It was handed back already, and there is no claim that could remember its end.
  }
}

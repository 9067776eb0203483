import { decideOperation } from '../claims/changes.ts';
import type { ClaimOperation, RefusalReason } from '../claims/claim-admin.ts';
import type { Claim } from '../claims/claim.ts';

/** A change that a person is about to make. */
export type PlannedChange = Pick<ClaimOperation, 'operation' | 'seen' | 'force'>;

/**
 * Returns why a change would be refused, or undefined if it would be accepted. For telling a person before
 * anything is written; the store applies the same rules again when the change is made.
 *
 * @param stored The claim as it is now; undefined if there is none.
 * @param change The change, and the claim as the person saw it.
 * @param now The current time, in epoch milliseconds.
 *
 * @example
 * const claim = await admin.read(key);
 * const why = claim && refusalOf(claim, { operation: 'release', seen: claim }, Date.now());
 * if (why === 'running') console.log('Its handler may be running: wait, or force it.');
 */
export function refusalOf(
  stored: Claim | undefined,
  change: PlannedChange,
  now: number,
): RefusalReason | undefined {
  const operation = { ...change, key: '', owner: '', operator: '', reason: '', retentionMs: 0 };
  const decision = decideOperation(stored, operation, now);
  return 'outcome' in decision && decision.outcome.status === 'refused' ? decision.outcome.why : undefined;
}

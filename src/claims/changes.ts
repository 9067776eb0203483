import type { Claim, OperatorChange } from './claim.ts';
import type { ClaimOperation, OperateOutcome } from './claim-admin.ts';
import { isForgotten } from './transitions.ts';

/**
 * The effect of a person's change on the stored row:
 *
 * | operation | condition                                   | then stored                                |
 * |-----------|---------------------------------------------|--------------------------------------------|
 * | release   | not completed, no live lease, unless forced | FAILED, attempts counted from 0            |
 * | resolve   | no live lease, unless forced                | COMPLETED, with the result if there is one |
 * | park      | not completed, no live lease, unless forced | PARKED                                     |
 * | forget    | no live lease, unless forced                | no row                                     |
 *
 * The row must have the status, owner and attempt that the person saw. The attempt stays, so it still only
 * grows. The owner always changes, so the previous owner can settle nothing.
 */
export type OperationDecision =
  | { readonly outcome: OperateOutcome }
  | { readonly write: Claim }
  | { readonly forget: true };

/** Decides a change from the stored row. `clockToleranceMs` extends leases and retentions. */
export function decideOperation(
  stored: Claim | undefined,
  operation: ClaimOperation,
  now: number,
  clockToleranceMs = 0,
): OperationDecision {
  const isForget = operation.operation === 'forget';
  // rule: forgotten-for-people
  if (stored === undefined || isForgotten(stored, now - clockToleranceMs)) return refused('absent');
  // rule: own-change
  if (stored.owner === operation.owner) return { outcome: { status: 'done', claim: stored } };
  // rule: seen-before-change
  if (!isAsSeen(stored, operation)) return refused('changed', stored);
  if (operation.force !== true) {
    // rule: live-for-people
    const isLive = stored.status === 'IN_PROGRESS' && now < stored.leaseUntil + clockToleranceMs;
    if (isLive) return refused('running', stored);
    // rule: completed-for-people
    if (
      stored.status === 'COMPLETED' &&
      (operation.operation === 'release' || operation.operation === 'park')
    )
      return refused('completed', stored);
  }
  return isForget ? { forget: true } : { write: changed(stored, operation, now) };
}

function isAsSeen(stored: Claim, { seen }: ClaimOperation): boolean {
  return stored.status === seen.status && stored.owner === seen.owner && stored.attempt === seen.attempt;
}

function refused(
  why: Extract<OperateOutcome, { status: 'refused' }>['why'],
  found?: Claim,
): { readonly outcome: OperateOutcome } {
  return { outcome: { status: 'refused', why, ...(found !== undefined && { found }) } };
}

function changed(stored: Claim, operation: ClaimOperation, now: number): Claim {
  const { error: _error, result, completedAt, started: _started, leaseUntil, ...kept } = stored;
  const base = {
    ...kept,
    // rule: owner-of-change
    owner: operation.owner,
    // Nobody holds the claim any more.
    leaseUntil: Math.min(leaseUntil, now),
    updatedAt: now,
    // A row without an expiry keeps none.
    ...(stored.expiresAt !== undefined && {
      expiresAt: Math.max(stored.expiresAt, now + operation.retentionMs),
    }),
    history: historyWith(stored, operation, now),
  };
  switch (operation.operation) {
    case 'resolve': {
      const answer = operation.result ?? result;
      return {
        ...base,
        status: 'COMPLETED',
        completedAt: completedAt ?? now,
        ...(answer !== undefined && { result: answer }),
      };
    }
    case 'park':
      return { ...base, status: 'PARKED', error: { name: 'ParkedByOperator', message: operation.reason } };
    case 'release':
    case 'forget':
      // Released attempts do not count.
      return { ...base, status: 'FAILED', releases: stored.attempt, crashes: 0 };
  }
}

/** The number of changes that a claim keeps. Each takes at most about 1 KB of ASCII text. */
const LONGEST_HISTORY = 10;

function historyWith(stored: Claim, operation: ClaimOperation, now: number): readonly OperatorChange[] {
  const { status, owner, attempt, error } = stored;
  const change: OperatorChange = {
    at: now,
    operation: operation.operation,
    operator: operation.operator,
    reason: operation.reason,
    from: { status, owner, attempt, ...(error !== undefined && { error }) },
  };
  return [...(stored.history ?? []), change].slice(-LONGEST_HISTORY);
}

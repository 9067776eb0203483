import type { Claim } from '../../src/claims/claim.ts';
import type {
  AcquireOutcome,
  ClaimRequest,
  LeaseExtension,
  Settlement,
  OwnedClaim,
} from '../../src/claims/claim-store.ts';
import type { ClaimOperation, OperateOutcome } from '../../src/claims/claim-admin.ts';
import { decideOperation } from '../../src/claims/changes.ts';
import {
  acquired,
  type ClaimChange,
  changeOfExtension,
  changeOfSettlement,
  changeOfStart,
  decideAcquire,
  isAlreadySettled,
  isOwnedBy,
} from '../../src/claims/transitions.ts';
import { claimOf, PLAIN, rowOf, type Wording } from './requests.ts';
import { ABSENT, type Answer, only, type Row } from './state.ts';

/** What a store does with a request: the claim it holds afterwards, the same object if it writes nothing, and the outcome. */
export interface Decided<Outcome> {
  readonly claim: Claim | undefined;
  readonly outcome: Outcome;
}

/**
 * The decisions of src/claims/transitions.ts and src/claims/changes.ts, composed as every store composes them. They hold no
 * rule of their own: replays compare them with the stores.
 */
export function acquiring(
  stored: Claim | undefined,
  request: ClaimRequest,
  at: number,
  tolerance: number,
): Decided<AcquireOutcome> {
  const decision = decideAcquire(stored, request, at, tolerance);
  if ('outcome' in decision) return { claim: stored, outcome: decision.outcome };
  return { claim: decision.write, outcome: acquired(decision.write, decision.tookOver) };
}

export function ending(
  stored: Claim | undefined,
  settlement: Settlement,
  at: number,
): Decided<'stored' | 'lost'> {
  if (isOwnedBy(stored, settlement.owner)) {
    return { claim: changed(stored, changeOfSettlement(settlement, at)), outcome: 'stored' };
  }
  return { claim: stored, outcome: isAlreadySettled(stored, settlement) ? 'stored' : 'lost' };
}

export function extending(
  stored: Claim | undefined,
  extension: LeaseExtension,
  at: number,
): Decided<'stored' | 'lost'> {
  if (!isOwnedBy(stored, extension.owner)) return { claim: stored, outcome: 'lost' };
  const change = changeOfExtension(extension, at);
  const isLonger = change.leaseUntil >= stored.leaseUntil;
  return { claim: isLonger ? changed(stored, change) : stored, outcome: 'stored' };
}

export function starting(
  stored: Claim | undefined,
  { owner }: Pick<OwnedClaim, 'owner'>,
  at: number,
): Decided<'stored' | 'lost'> {
  if (!isOwnedBy(stored, owner)) return { claim: stored, outcome: 'lost' };
  return { claim: changed(stored, changeOfStart(at)), outcome: 'stored' };
}

export function operating(
  stored: Claim | undefined,
  operation: ClaimOperation,
  at: number,
  tolerance: number,
): Decided<OperateOutcome> {
  const decision = decideOperation(stored, operation, at, tolerance);
  if ('outcome' in decision) return { claim: stored, outcome: decision.outcome };
  if ('forget' in decision) return { claim: undefined, outcome: { status: 'done' } };
  return { claim: decision.write, outcome: { status: 'done', claim: decision.write } };
}

function changed(stored: Claim, change: ClaimChange): Claim {
  return { ...stored, ...change } as Claim;
}

/** A decision on a row of the model; the row is the same object if nothing is written. */
export interface Decision {
  readonly row: Row;
  readonly answer: Answer;
}

/** Decides on a row of the model. */
export function decideOn(
  row: Row,
  key: string,
  decide: (stored: Claim | undefined) => Decided<AcquireOutcome | OperateOutcome | 'stored' | 'lost'>,
): Decision {
  const stored = claimOf(key, row);
  const { claim, outcome } = decide(stored);
  const after = claim === stored ? row : claim === undefined ? ABSENT : rowOf(claim);
  return { row: after, answer: answerOf(outcome) };
}

/** What the model knows of an outcome of the code. */
export function answerOf(
  outcome: AcquireOutcome | OperateOutcome | 'stored' | 'lost',
  { tickMs, startMs }: Wording = PLAIN,
): Answer {
  if (typeof outcome === 'string') return only(outcome);
  switch (outcome.status) {
    case 'acquired': {
      const { status, attempt, releases, crashes, tookOver } = outcome;
      const leaseUntil = (outcome.leaseUntil - startMs) / tickMs;
      return { status, attempt, releases, crashes, leaseUntil, tookOver };
    }
    case 'conflict': {
      const leaseUntil = (outcome.leaseUntil - startMs) / tickMs;
      return { ...only('conflict'), leaseUntil, attempt: outcome.attempt };
    }
    case 'refused':
      return only(outcome.why);
    case 'error':
      throw outcome.error;
    case 'done':
    case 'duplicate':
    case 'parked':
    case 'mismatch':
      return only(outcome.status);
  }
}

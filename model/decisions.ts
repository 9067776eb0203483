import type { Claim } from '../src/claims/claim.ts';
import type { AcquireOutcome } from '../src/claims/claim-store.ts';
import type { OperateOutcome } from '../src/claims/claim-admin.ts';
import { decideOperation } from '../src/claims/changes.ts';
import {
  acquired,
  type ClaimChange,
  changeOfExtension,
  changeOfSettlement,
  changeOfStart,
  decideAcquire,
  isAlreadySettled,
  isOwnedBy,
} from '../src/claims/transitions.ts';
import { claimOf, PLAIN, requestsIn, rowOf, type Wording } from './requests.ts';
import { ABSENT, type Answer, type Attempt, type End, only, type Person, type Row } from './state.ts';

/** What a store decides: the row as it is then, and its answer. */
export interface Decision {
  readonly row: Row;
  readonly answer: Answer;
}

const requests = requestsIn(PLAIN);

/** The decisions of the code, on rows of the model: src/claims/transitions.ts and src/claims/changes.ts. */
export function decideAcquisition(
  row: Row,
  asked: Attempt,
  owner: string,
  at: number,
  tolerance: number,
): Decision {
  const decision = decideAcquire(claimOf(asked.key, row), requests.acquire(owner, asked), at, tolerance);
  if ('outcome' in decision) return { row, answer: answerOf(decision.outcome) };
  return { row: rowOf(decision.write), answer: answerOf(acquired(decision.write, decision.tookOver)) };
}

export function decideEnd(
  row: Row,
  key: string,
  owner: string,
  end: End,
  releases: number,
  at: number,
): Decision {
  const stored = claimOf(key, row);
  const settlement = requests.settlement(owner, key, end, releases);
  if (isOwnedBy(stored, owner)) {
    return { row: changed(stored, changeOfSettlement(settlement, at)), answer: only('stored') };
  }
  return { row, answer: only(isAlreadySettled(stored, settlement) ? 'stored' : 'lost') };
}

export function decideExtension(row: Row, key: string, owner: string, ticks: number, at: number): Decision {
  const stored = claimOf(key, row);
  if (!isOwnedBy(stored, owner)) return { row, answer: only('lost') };
  const change = changeOfExtension(requests.extension(owner, key, ticks), at);
  return {
    row: change.leaseUntil >= stored.leaseUntil ? changed(stored, change) : row,
    answer: only('stored'),
  };
}

export function decideStart(row: Row, key: string, owner: string, at: number): Decision {
  const stored = claimOf(key, row);
  if (!isOwnedBy(stored, owner)) return { row, answer: only('lost') };
  return { row: changed(stored, changeOfStart(at)), answer: only('stored') };
}

export function decideChange(row: Row, person: Person, by: string, at: number, tolerance: number): Decision {
  const decision = decideOperation(claimOf(person.key, row), requests.operation(by, person), at, tolerance);
  if ('outcome' in decision) return { row, answer: answerOfOperation(decision.outcome) };
  return { row: 'forget' in decision ? ABSENT : rowOf(decision.write), answer: only('done') };
}

function changed(stored: Claim, change: ClaimChange): Row {
  return rowOf({ ...stored, ...change } as Claim);
}

/** What the model knows of an answer of the code. */
export function answerOf(outcome: AcquireOutcome, { tickMs, startMs }: Wording = PLAIN): Answer {
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
    case 'error':
      throw outcome.error;
    case 'duplicate':
    case 'parked':
    case 'mismatch':
      return only(outcome.status);
  }
}

export function answerOfOperation(outcome: OperateOutcome): Answer {
  if (outcome.status === 'error') throw outcome.error;
  return only(outcome.status === 'done' ? 'done' : outcome.why);
}

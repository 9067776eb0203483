import type { Decision } from './decisions.ts';
import { ABSENT, type Answer, type End, isForgottenAt, only, type Person, type Row } from './state.ts';

/** What an attempt asks for. Durations are in the unit of the rows' times. */
export interface Asked {
  readonly owner: string;
  readonly payload: string;
  readonly marks: boolean;
  readonly lease: number;
  readonly retention: number;
}

/** An end that an attempt asks for. */
export interface AskedEnd {
  readonly owner: string;
  readonly end: End;
  readonly releases: number;
  readonly retention: number;
}

/**
 * The decisions of model/claim.qnt once more, without the code that they are compared with: for rows whose durations are not those of
 * the specification. The walk compares them with the code in every state.
 */
export function ruleOfAcquire(row: Row, asked: Asked, at: number, tolerance: number): Decision {
  if (row.status === 'ABSENT' || isForgottenAt(row, at - tolerance)) {
    return acquired(inProgress(asked, at, { ...ABSENT, attempt: 1 }), false);
  }
  if (row.status === 'IN_PROGRESS' && row.owner === asked.owner) return acquired(row, false);
  if (asked.payload !== '' && row.payload !== '' && asked.payload !== row.payload)
    return refused(row, 'mismatch');
  if (row.status === 'COMPLETED') return refused(row, 'duplicate');
  if (row.status === 'PARKED') return refused(row, 'parked');
  const again = { ...row, attempt: row.attempt + 1 };
  if (row.status === 'FAILED') return acquired(inProgress(asked, at, again), false);
  if (at < row.leaseUntil + tolerance) {
    return { row, answer: { ...only('conflict'), leaseUntil: row.leaseUntil, attempt: row.attempt } };
  }
  const isUnstarted = row.started === 'no';
  const lapsed = {
    ...again,
    releases: row.releases + (isUnstarted ? 1 : 0),
    crashes: row.crashes + (isUnstarted ? 0 : 1),
  };
  return acquired(inProgress(asked, at, lapsed), true);
}

export function ruleOfEnd(row: Row, { owner, end, releases, retention }: AskedEnd, at: number): Decision {
  if (!isHeldBy(row, owner)) return refused(row, row.owner === owner && shows(row, end) ? 'stored' : 'lost');
  const changes = {
    complete: { status: 'COMPLETED' },
    fail: { status: 'FAILED', error: 'failed', crashes: 0 },
    park: { status: 'PARKED', error: 'failed' },
    release: { status: 'FAILED', releases: releases + 1 },
  } as const;
  return { row: { ...row, ...changes[end], expiresAt: at + retention }, answer: only('stored') };
}

export function ruleOfExtension(
  row: Row,
  { owner, lease, retention }: Pick<Asked, 'owner' | 'lease' | 'retention'>,
  at: number,
): Decision {
  if (!isHeldBy(row, owner)) return refused(row, 'lost');
  const leaseUntil = at + lease;
  const isLonger = leaseUntil >= row.leaseUntil;
  return {
    row: isLonger ? { ...row, leaseUntil, expiresAt: leaseUntil + retention } : row,
    answer: only('stored'),
  };
}

export function ruleOfStart(row: Row, owner: string): Decision {
  return isHeldBy(row, owner)
    ? { row: { ...row, started: 'yes' }, answer: only('stored') }
    : refused(row, 'lost');
}

export function ruleOfOperation(
  row: Row,
  { status, owner, attempt, operation, force }: Person,
  by: string,
  at: number,
  { tolerance, retention }: { readonly tolerance: number; readonly retention: number },
): Decision {
  if (row.status === 'ABSENT' || isForgottenAt(row, at - tolerance)) return refused(row, 'absent');
  if (row.owner === by) return refused(row, 'done');
  if (row.status !== status || row.owner !== owner || row.attempt !== attempt) return refused(row, 'changed');
  const runsAgain = operation === 'release' || operation === 'park';
  if (!force && row.status === 'IN_PROGRESS' && at < row.leaseUntil + tolerance)
    return refused(row, 'running');
  if (!force && row.status === 'COMPLETED' && runsAgain) return refused(row, 'completed');
  if (operation === 'forget') return { row: ABSENT, answer: only('done') };
  const changed: Row = {
    ...row,
    owner: by,
    started: '',
    error: '',
    leaseUntil: Math.min(row.leaseUntil, at),
    expiresAt: Math.max(row.expiresAt, at + retention),
    changes: row.changes + 1,
  };
  const changes = {
    resolve: { status: 'COMPLETED' },
    park: { status: 'PARKED', error: 'operator' },
    release: { status: 'FAILED', releases: row.attempt, crashes: 0 },
    '': {},
  } as const;
  return { row: { ...changed, ...changes[operation] }, answer: only('done') };
}

function inProgress({ owner, payload, marks, lease, retention }: Asked, at: number, was: Row): Row {
  return {
    ...was,
    status: 'IN_PROGRESS',
    owner,
    started: marks ? 'no' : '',
    leaseUntil: at + lease,
    expiresAt: at + lease + retention,
    payload,
    error: '',
  };
}

function acquired(row: Row, tookOver: boolean): Decision {
  const { attempt, releases, crashes, leaseUntil } = row;
  const answer: Answer = { status: 'acquired', attempt, releases, crashes, leaseUntil, tookOver };
  return { row, answer };
}

function refused(row: Row, status: string): Decision {
  return { row, answer: only(status) };
}

function isHeldBy(row: Row, owner: string): boolean {
  return row.status === 'IN_PROGRESS' && row.owner === owner;
}

function shows({ status, error }: Row, end: End): boolean {
  if (end === 'complete') return status === 'COMPLETED';
  if (end === 'park') return status === 'PARKED';
  return status === 'FAILED' && (end === 'fail') === (error !== '');
}

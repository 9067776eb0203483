import type { ClaimRequest, LeaseExtension, Settlement } from '../../src/claims/claim-store.ts';
import type { ClaimOperation } from '../../src/claims/claim-admin.ts';
import type { Claim, StoredError } from '../../src/claims/claim.ts';
import {
  type Attempt,
  COMPLETED_RETENTION,
  type End,
  LEASE,
  PARKED_RETENTION,
  type Person,
  RETENTION,
  type Row,
} from './state.ts';

/** How the model's ticks and keys are said to the code: real stores need whole seconds, and keys of one trace alone. */
export interface Wording {
  readonly tickMs: number;
  /** Of tick 0, in epoch milliseconds. */
  readonly startMs: number;
  readonly keyPrefix: string;
}

export const PLAIN: Wording = { tickMs: 1, startMs: 0, keyPrefix: '' };

const FAILED: StoredError = { name: 'Error', message: 'declined' };
const RESULT = '"done"';
const REASON = 'by hand';

/** The requests of the model's steps as the code takes them. */
export function requestsIn({ tickMs, keyPrefix }: Wording) {
  return {
    acquire: (owner: string, { key, payload, marks }: Attempt): ClaimRequest => ({
      key: keyPrefix + key,
      owner,
      leaseMs: LEASE * tickMs,
      retentionMs: RETENTION * tickMs,
      ...(payload !== '' && { payloadHash: payload }),
      ...(marks && { recordsStart: true }),
    }),
    settlement(owner: string, key: string, end: End, releases: number): Settlement {
      const common = { key: keyPrefix + key, owner };
      switch (end) {
        case 'complete':
          return { ...common, end, result: RESULT, retentionMs: COMPLETED_RETENTION * tickMs };
        case 'fail':
          return { ...common, end, error: FAILED, retentionMs: RETENTION * tickMs };
        case 'park':
          return { ...common, end, error: FAILED, retentionMs: PARKED_RETENTION * tickMs };
        case 'release':
          return { ...common, end, releases, retentionMs: RETENTION * tickMs };
      }
    },
    extension: (owner: string, key: string, ticks: number): LeaseExtension => ({
      key: keyPrefix + key,
      owner,
      leaseMs: ticks * tickMs,
      retentionMs: RETENTION * tickMs,
    }),
    operation: (owner: string, person: Person): ClaimOperation => {
      if (person.operation === '' || person.status === '' || person.status === 'ABSENT') {
        throw new Error('A person changes what was seen');
      }
      return {
        operation: person.operation,
        key: keyPrefix + person.key,
        seen: { status: person.status, owner: person.owner, attempt: person.attempt },
        owner,
        operator: owner,
        reason: REASON,
        force: person.force,
        retentionMs: PARKED_RETENTION * tickMs,
      };
    },
  };
}

/** The row of the model as the code has it. */
export function claimOf(key: string, row: Row): Claim | undefined {
  if (row.status === 'ABSENT') return undefined;
  const { status, owner, attempt, releases, crashes, started, leaseUntil, expiresAt, payload, error } = row;
  return {
    key,
    status,
    owner,
    attempt,
    releases,
    crashes,
    leaseUntil,
    expiresAt,
    createdAt: 0,
    updatedAt: 0,
    ...(started !== '' && { started: started === 'yes' }),
    ...(payload !== '' && { payloadHash: payload }),
    ...(error !== '' && { error: error === 'operator' ? { name: OPERATOR, message: REASON } : FAILED }),
    ...(row.changes > 0 && { history: changesOf(row.changes) }),
  };
}

const OPERATOR = 'ParkedByOperator';

function changesOf(count: number): NonNullable<Claim['history']> {
  return Array.from({ length: count }, () => ({
    at: 0,
    operation: 'release' as const,
    operator: '',
    reason: '',
    from: { status: 'FAILED' as const, owner: '', attempt: 1 },
  }));
}

/** What the model knows of a claim that the code made. */
export function rowOf(claim: Claim, { tickMs, startMs }: Wording = PLAIN): Row {
  const { status, owner, attempt, releases, crashes, started, leaseUntil, expiresAt, payloadHash, error } =
    claim;
  return {
    status,
    owner,
    attempt,
    releases,
    crashes,
    started: started === undefined ? '' : started ? 'yes' : 'no',
    leaseUntil: (leaseUntil - startMs) / tickMs,
    expiresAt: ((expiresAt ?? Infinity) - startMs) / tickMs,
    payload: payloadHash ?? '',
    error: error === undefined ? '' : error.name === OPERATOR ? 'operator' : 'failed',
    changes: claim.history?.length ?? 0,
  };
}

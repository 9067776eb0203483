import type { Claim } from '../../claims/claim.ts';
import { claimIn, errorIn, type FieldReader, historyIn } from '../../claims/row-format.ts';
import type { SqlAnswer } from './pool.ts';
import { keyOf } from './storable.ts';

/** The columns of a claim by name: text or null from a statement, JSON values from `to_json`. */
export type Row = SqlAnswer['rows'][number];

/** The column of each field, and its type in JSON; a `time` is in epoch milliseconds. */
export const COLUMNS: Readonly<
  Record<keyof Claim, readonly [column: string, type: 'text' | 'int' | 'boolean' | 'jsonb' | 'time']>
> = {
  key: ['key', 'text'],
  status: ['status', 'text'],
  owner: ['owner', 'text'],
  attempt: ['attempt', 'int'],
  releases: ['releases', 'int'],
  crashes: ['crashes', 'int'],
  started: ['started', 'boolean'],
  payloadHash: ['payload_hash', 'text'],
  lockedBy: ['locked_by', 'text'],
  recordId: ['record_id', 'text'],
  result: ['result', 'text'],
  error: ['error', 'jsonb'],
  history: ['history', 'jsonb'],
  leaseUntil: ['lease_until', 'time'],
  expiresAt: ['expires_at', 'time'],
  createdAt: ['created_at', 'time'],
  updatedAt: ['updated_at', 'time'],
  claimedAt: ['claimed_at', 'time'],
  completedAt: ['completed_at', 'time'],
};

/**
 * Converts a row to a claim. Throws a `StoreError` for a row that is not a claim
 * (`BATCHLATCH_NOT_A_CLAIM`), or is of a newer format.
 */
export function toClaim(row: Row): Claim {
  const { key } = row;
  const read = ((field: keyof Claim) => {
    const [column, type] = COLUMNS[field];
    const value = row[column];
    if (type === 'jsonb') return field === 'error' ? errorIn(value) : historyIn(value);
    if (type === 'boolean') return booleanIn(value);
    if (type === 'text') return typeof value === 'string' ? value : undefined;
    return numberIn(value);
  }) as FieldReader;
  return claimIn(typeof key === 'string' ? keyOf(key) : undefined, read, LACKS);
}

const LACKS =
  'is not a claim: it lacks `owner` or a known `status`. The claims table must be used by batchlatch alone.';

export function numberIn(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

/** A boolean, or PostgreSQL's text of one. */
export function booleanIn(value: unknown): boolean | undefined {
  return value === null || value === undefined ? undefined : value === true || value === 't';
}

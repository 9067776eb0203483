import { isObject } from '../../base/is-object.ts';
import type { Claim, StoredError } from '../../claims/claim.ts';
import { historyIn, jsonIn, notAClaim, statusIn } from '../../claims/row-format.ts';
import type { SqlAnswer } from './pool.ts';
import { keyOf } from './storable.ts';

/** The columns of a claim by their names: from a statement each is a text or null, and from JSON what it is there. */
export type Row = SqlAnswer['rows'][number];

type Writable<Value> = { -readonly [Field in keyof Value]: Value[Field] };

/** The claim of a row. Throws a `StoreError` for a row that is none (`BATCHLATCH_NOT_A_CLAIM`), or of a newer format. */
export function toClaim(row: Row): Claim {
  const { key, owner } = row;
  if (typeof key !== 'string') throw notAClaim('', LACKS);
  const status = statusIn(row['status'], keyOf(key));
  if (typeof owner !== 'string' || status === undefined) throw notAClaim(keyOf(key), LACKS);
  const createdAt = numberIn(row['created_at']) ?? 0;
  const claim: Writable<Claim> = {
    key: keyOf(key),
    status,
    owner,
    attempt: numberIn(row['attempt']) ?? 1,
    releases: numberIn(row['releases']) ?? 0,
    crashes: numberIn(row['crashes']) ?? 0,
    leaseUntil: numberIn(row['lease_until']) ?? 0,
    createdAt,
    updatedAt: numberIn(row['updated_at']) ?? createdAt,
  };
  const started = booleanIn(row['started']);
  if (started !== undefined) claim.started = started;
  for (const [field, column] of TIMES) {
    const value = numberIn(row[column]);
    if (value !== undefined) claim[field] = value;
  }
  for (const [field, column] of TEXTS) {
    const value = row[column];
    if (typeof value === 'string') claim[field] = value;
  }
  const error = errorIn(row['error']);
  if (error !== undefined) claim.error = error;
  const history = historyIn(row['history']);
  if (history !== undefined) claim.history = history;
  return claim;
}

const LACKS =
  'is not a claim: it lacks `owner` or a known `status`. The claims table must be used by batchlatch alone.';

const TIMES = [
  ['expiresAt', 'expires_at'],
  ['completedAt', 'completed_at'],
  ['claimedAt', 'claimed_at'],
] as const;

const TEXTS = [
  ['lockedBy', 'locked_by'],
  ['payloadHash', 'payload_hash'],
  ['result', 'result'],
  ['recordId', 'record_id'],
] as const;

/** A number, or a text of one. */
export function numberIn(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

/** A boolean, or PostgreSQL's text of one. */
export function booleanIn(value: unknown): boolean | undefined {
  return value === null || value === undefined ? undefined : value === true || value === 't';
}

// What is only told to people does not make a row unreadable.

function errorIn(value: unknown): StoredError | undefined {
  const error = jsonIn(value);
  if (!isObject(error)) return undefined;
  const { name, message, code } = error as Readonly<Record<string, unknown>>;
  return {
    name: textOf(name),
    message: textOf(message),
    ...(typeof code === 'string' && { code }),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

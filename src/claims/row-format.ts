import { defined } from '../base/defined.ts';
import { StoreError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { keyHash } from '../base/key-hash.ts';
import type { Claim, ClaimStatus, OperatorChange, StoredError } from './claim.ts';

/**
 * The format of rows that this version writes. Rows do not contain it: a status without a number has format
 * 1.
 *
 * A version with another format writes its number into the status, with the first version of batchlatch that
 * reads it: `COMPLETED@2:0.9.0`. Every condition of this version on a status then fails, at no cost.
 */
const FORMAT = 1;

/** A row of a newer version of batchlatch. */
export interface NewerRow {
  /** The idempotency key. */
  readonly key: string;
  /** The format number. */
  readonly format: number;
  /** The first version of batchlatch that reads the format; absent if the row does not say. */
  readonly version?: string;
}

/**
 * A newer version of batchlatch wrote the row. This version neither claims the key nor changes the row. Code:
 * `BATCHLATCH_NEWER_ROW`.
 *
 * @remarks Deploy that version to all functions that use the table, and to the command line:
 * docs/releases.md.
 */
export class NewerRowError extends StoreError {
  override name = 'NewerRowError';
  /** Private, because the key must not appear in logs. */
  readonly #row: NewerRow;

  constructor(row: NewerRow) {
    const { key, format, version } = row;
    super(
      `A newer version of batchlatch wrote the row whose key has the hash ${keyHash(key)} ` +
        `(format ${format}; this version reads ${FORMAT}). Deploy ` +
        `${version === undefined ? 'that version' : `version ${version} or later`} here too.`,
      { isRetryable: false, code: 'BATCHLATCH_NEWER_ROW' },
    );
    this.#row = row;
  }

  get row(): NewerRow {
    return this.#row;
  }
}

/** A status with a format and, optionally, the version that reads it. */
const WITH_FORMAT = /^[A-Z_]{1,40}@(\d{1,9})(?::(\d[\w.+-]{0,31}))?$/;

/**
 * Returns the status in a row's text; undefined if there is none.
 *
 * @throws NewerRowError for the status of a newer format.
 */
export function statusIn(text: unknown, key: string): ClaimStatus | undefined {
  if (text === 'IN_PROGRESS' || text === 'COMPLETED' || text === 'FAILED' || text === 'PARKED') return text;
  const [, format, version] = typeof text === 'string' ? (WITH_FORMAT.exec(text) ?? []) : [];
  if (format === undefined || Number(format) <= FORMAT) return undefined;
  throw new NewerRowError({ key, format: Number(format), ...defined({ version }) });
}

/** Returns the error of a row that is not a claim. `why` follows the hash of the key. */
export function notAClaim(key: string, why: string): StoreError {
  return new StoreError(`The row whose key has the hash ${keyHash(key)} ${why}`, {
    isRetryable: false,
    code: 'BATCHLATCH_NOT_A_CLAIM',
  });
}

/** Returns whether every store keeps a text as it is. U+0000 and lone surrogates are refused or changed. */
export function isKeptAsIs(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Parses JSON text. Returns values that are not text unchanged, and undefined for text that is not JSON. */
export function jsonIn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

const OPTIONAL = [
  'started',
  'expiresAt',
  'completedAt',
  'lockedBy',
  'payloadHash',
  'result',
  'error',
  'recordId',
  'claimedAt',
  'history',
] as const satisfies readonly (keyof Claim)[];

export type FieldReader = <Field extends keyof Claim>(field: Field) => Claim[Field] | undefined;

/**
 * Returns the claim in a row. Throws a `StoreError` if the row is no claim (`BATCHLATCH_NOT_A_CLAIM`) or has
 * a newer format.
 *
 * @param key The key of the row.
 * @param read Reads the other fields; a status is any text.
 * @param why Why a row without an owner or a known status is no claim; follows the hash of its key.
 * @param epoch The default of missing times: zero, unless the store's times are not relative to it.
 */
export function claimIn(key: string | undefined, read: FieldReader, why: string, epoch: number = 0): Claim {
  const status = statusIn(read('status'), key ?? '');
  const owner = read('owner');
  if (key === undefined || owner === undefined || status === undefined) throw notAClaim(key ?? '', why);
  const createdAt = read('createdAt') ?? epoch;
  const claim: Claim = {
    key,
    status,
    owner,
    attempt: read('attempt') ?? 1,
    releases: read('releases') ?? 0,
    crashes: read('crashes') ?? 0,
    leaseUntil: read('leaseUntil') ?? epoch,
    createdAt,
    updatedAt: read('updatedAt') ?? createdAt,
  };
  for (const field of OPTIONAL) {
    const value = read(field);
    if (value !== undefined) Object.assign(claim, { [field]: value });
  }
  return claim;
}

// Fields that are only shown to people do not make a row unreadable.

/** Returns the history of a row; undefined if it is unreadable. */
export function historyIn(value: unknown): readonly OperatorChange[] | undefined {
  const history = jsonIn(value);
  return Array.isArray(history) && history.every(isObject) ? (history as OperatorChange[]) : undefined;
}

export function errorIn(value: unknown): StoredError | undefined {
  const error = jsonIn(value) as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof error !== 'object' || error === null) return undefined;
  const { name, message, code } = error;
  const text = (one: unknown): string => (typeof one === 'string' ? one : '');
  return { name: text(name), message: text(message), ...(typeof code === 'string' && { code }) };
}

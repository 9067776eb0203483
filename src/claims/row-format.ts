import { StoreError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { keyHash } from '../base/key-hash.ts';
import type { Claim, ClaimStatus, OperatorChange, StoredError } from './claim.ts';

/**
 * The format of the rows that this version writes. It is not in them: a status without a number is of format 1.
 *
 * A version that writes another format writes its number into the status, with the first version of batchlatch that reads it:
 * `COMPLETED@2:0.9.0`. So every condition on a status that this version writes fails for such a row, and it costs nothing.
 */
const FORMAT = 1;

/** A row that a newer version of batchlatch wrote. */
export interface NewerRow {
  /** The idempotency key. */
  readonly key: string;
  /** The number of the row's format. */
  readonly format: number;
  /** The first version of batchlatch that reads the format; absent where the row does not say. */
  readonly version?: string;
}

/** A row of a newer format: this version cannot read it, and so must not write over it. Code: `BATCHLATCH_NEWER_ROW`. */
export class NewerRowError extends StoreError {
  /** Private, for the key must not be in a log. */
  readonly #row: NewerRow;

  constructor(row: NewerRow) {
    const { key, format, version } = row;
    super(
      `The row whose key has the hash ${keyHash(key)} is of format ${format}, and this version of batchlatch reads format ${FORMAT}: ` +
        `a newer version wrote it. Deploy ${version === undefined ? 'that version' : `version ${version} or later`} here too.`,
      { isRetryable: false, code: 'BATCHLATCH_NEWER_ROW' },
    );
    this.#row = row;
  }

  get row(): NewerRow {
    return this.#row;
  }
}

/** A status with a format, and maybe the version that reads it. */
const WITH_FORMAT = /^[A-Z_]{1,40}@(\d{1,9})(?::(\d[\w.+-]{0,31}))?$/;

/**
 * The status of a row, from its text; undefined where that is none.
 *
 * @throws NewerRowError for the status of a newer format.
 */
export function statusIn(text: unknown, key: string): ClaimStatus | undefined {
  if (text === 'IN_PROGRESS' || text === 'COMPLETED' || text === 'FAILED' || text === 'PARKED') return text;
  const [, format, version] = typeof text === 'string' ? (WITH_FORMAT.exec(text) ?? []) : [];
  if (format === undefined || Number(format) <= FORMAT) return undefined;
  throw new NewerRowError({ key, format: Number(format), ...(version !== undefined && { version }) });
}

/** The error of a row that is no claim. `why` goes on after the key's hash. */
export function notAClaim(key: string, why: string): StoreError {
  return new StoreError(`The row whose key has the hash ${keyHash(key)} ${why}`, {
    isRetryable: false,
    code: 'BATCHLATCH_NOT_A_CLAIM',
  });
}

/** The JSON of a text, or what is none; undefined for a text that is no JSON. */
export function jsonIn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** The fields that a claim may lack. */
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

/** Reads one field of a row: undefined where the row does not have it. */
export type FieldReader = <Field extends keyof Claim>(field: Field) => Claim[Field] | undefined;

/**
 * The claim of a row. Throws a `StoreError` for a row that is none (`BATCHLATCH_NOT_A_CLAIM`), or of a newer format.
 *
 * @param key The row's key.
 * @param read Reads its other fields; a status is any text.
 * @param why Why a row without an owner or a known status is no claim, after its key's hash.
 * @param epoch The time that is zero where times are not relative to it: what a lacking time is.
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

// What is only told to people does not make a row unreadable.

/** The history of a row; undefined where it cannot be read. */
export function historyIn(value: unknown): readonly OperatorChange[] | undefined {
  const history = jsonIn(value);
  return Array.isArray(history) && history.every(isObject) ? (history as OperatorChange[]) : undefined;
}

/** The error of a row; undefined where it is none. */
export function errorIn(value: unknown): StoredError | undefined {
  const error = jsonIn(value) as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof error !== 'object' || error === null) return undefined;
  const { name, message, code } = error;
  const text = (one: unknown): string => (typeof one === 'string' ? one : '');
  return { name: text(name), message: text(message), ...(typeof code === 'string' && { code }) };
}

import type { Claim, StoredError } from '../../claims/claim.ts';
import type { StoreError } from '../../base/errors.ts';
import { historyIn, jsonIn, notAClaim, statusIn } from '../../claims/row-format.ts';
import type { ClaimChange } from '../../claims/transitions.ts';

/** A hash of Redis, and the time of the server when it was read, in epoch milliseconds. */
export interface Row {
  readonly key: string;
  readonly now: number;
  readonly fields: ReadonlyMap<string, string>;
}

/** What a write sets and removes. Its times are relative, in milliseconds, to a time that the server adds. */
export interface RowWrite {
  readonly times: readonly string[];
  /** What most rows of a batch have alike, names and values in turn. */
  readonly texts: readonly string[];
  /** What each row has for itself, names and values in turn. */
  readonly own: readonly string[];
  readonly removed: readonly string[];
  /** When the row is forgotten, relative to the same time; undefined leaves that as it is. */
  readonly lastsMs: number | undefined;
}

const TIMES = ['leaseUntil', 'expiresAt', 'createdAt', 'updatedAt', 'completedAt', 'claimedAt'] as const;
const NUMBERS = ['attempt', 'releases', 'crashes'] as const;
const TEXTS = ['status', 'lockedBy'] as const;
const OWN = ['owner', 'payloadHash', 'result', 'recordId'] as const;

type Fields = { readonly [Field in keyof Claim]?: Claim[Field] | undefined };

/** All of a claim; what its absence says as well is left out. */
export function writeOfClaim(claim: Claim): RowWrite {
  return writeOf(claim, true);
}

/** What a change sets, and what it removes, which is what is undefined. */
export function writeOfChange(change: ClaimChange): RowWrite {
  return writeOf(change, false);
}

function writeOf(fields: Fields, isWhole: boolean): RowWrite {
  const times: string[] = [];
  const texts: string[] = [];
  const own: string[] = [];
  const removed: string[] = [];
  for (const name of TIMES) {
    const time = fields[name];
    const isSaid = isWhole && name === 'updatedAt' && time === fields.createdAt;
    if (time !== undefined && !isSaid) times.push(name, String(time));
  }
  for (const name of NUMBERS) {
    const number = fields[name];
    const isSaid = isWhole && number === 0;
    if (number !== undefined && !isSaid) texts.push(name, String(number));
  }
  for (const name of TEXTS) {
    const text = fields[name];
    if (text !== undefined) texts.push(name, text);
  }
  if (fields.started !== undefined) texts.push('started', fields.started ? '1' : '0');
  for (const name of OWN) {
    const text = fields[name];
    if (text !== undefined) own.push(name, text);
  }
  if (fields.error !== undefined) own.push('error', JSON.stringify(fields.error));
  if (fields.history !== undefined) own.push('history', JSON.stringify(fields.history));
  if (!isWhole) {
    for (const name in fields) if (fields[name as keyof Fields] === undefined) removed.push(name);
  }
  return { times, texts, own, removed, lastsMs: fields.expiresAt };
}

/** What every transition and every extension changes of a row that was read, in the order that the scripts expect. */
export function witnessesOf({ fields }: Row): string[] {
  return ['status', 'owner', 'leaseUntil', 'started'].map((name) => fields.get(name) ?? '');
}

/** The fields of a row that a write does not set. */
export function leftBy({ times, texts, own }: RowWrite, { fields }: Row): string[] {
  const set = new Set<string>();
  for (const pairs of [times, texts, own]) {
    for (let index = 0; index < pairs.length; index += 2) set.add(pairs[index] as string);
  }
  return [...fields.keys()].filter((name) => !set.has(name));
}

type WritableClaim = { -readonly [Field in keyof Claim]: Claim[Field] };

/**
 * The claim of a row, with its times relative to `base`; the times of its history stay as they are. Throws a `StoreError`
 * for a row that is none (`BATCHLATCH_NOT_A_CLAIM`), or of a newer format.
 */
export function claimOf({ key, fields }: Row, base: number): Claim {
  const time = (name: string): number | undefined => {
    const number = numberIn(fields, name);
    return number === undefined ? undefined : number - base;
  };
  const status = statusIn(fields.get('status'), key);
  const owner = fields.get('owner');
  if (owner === undefined || status === undefined) throw notOurs(key);
  const createdAt = time('createdAt') ?? -base;
  const claim: WritableClaim = {
    key,
    status,
    owner,
    attempt: numberIn(fields, 'attempt') ?? 1,
    releases: numberIn(fields, 'releases') ?? 0,
    crashes: numberIn(fields, 'crashes') ?? 0,
    leaseUntil: time('leaseUntil') ?? -base,
    createdAt,
    updatedAt: time('updatedAt') ?? createdAt,
  };
  for (const name of ['expiresAt', 'completedAt', 'claimedAt'] as const) {
    const value = time(name);
    if (value !== undefined) claim[name] = value;
  }
  for (const name of ['lockedBy', 'payloadHash', 'result', 'recordId'] as const) {
    const value = fields.get(name);
    if (value !== undefined) claim[name] = value;
  }
  const started = fields.get('started');
  if (started !== undefined) claim.started = started !== '0';
  const error = jsonIn(fields.get('error'));
  if (isStoredError(error)) claim.error = error;
  const history = historyIn(fields.get('history'));
  if (history !== undefined) claim.history = history;
  return claim;
}

/** The error of a key that somebody else uses. */
export function notOurs(key: string): StoreError {
  return notAClaim(
    key,
    'is not a claim: it is no hash with an `owner` and a known `status`. The keys with the prefix of `redisStore` must be used by batchlatch alone.',
  );
}

function numberIn(fields: Row['fields'], name: string): number | undefined {
  const text = fields.get(name);
  const number = Number(text);
  return text === undefined || !Number.isFinite(number) ? undefined : number;
}

function isStoredError(value: unknown): value is StoredError {
  if (typeof value !== 'object' || value === null) return false;
  const { name, message } = value as Partial<StoredError>;
  return typeof name === 'string' && typeof message === 'string';
}

import type { Claim } from '../../claims/claim.ts';
import type { StoreError } from '../../base/errors.ts';
import { claimIn, errorIn, type FieldReader, historyIn, notAClaim } from '../../claims/row-format.ts';

/** A hash of Redis, with the server's time of the read, in epoch milliseconds. */
export interface Row {
  readonly key: string;
  readonly now: number;
  readonly fields: ReadonlyMap<string, string>;
}

/** A write of a row, without the values of `own` fields. Times are relative to the server's. */
export interface RowWrite {
  /** Names of times and milliseconds, in turn. */
  readonly times: readonly string[];
  /** Names and values, in turn. */
  readonly texts: readonly string[];
  /** The fields whose values differ from row to row (`ownValues`). */
  readonly own: readonly (keyof Claim)[];
  readonly removed: readonly string[];
  /** When the row is forgotten, relative to the same time; undefined leaves its TTL as it is. */
  readonly lastsMs: number | undefined;
}

/**
 * The kind of each field of a hash, in the order in which they are written. `own` and `json` differ from row
 * to row; the others are mostly equal in a batch, so a script gets them once for all rows that have them in
 * common.
 */
const KINDS = {
  leaseUntil: 'time',
  expiresAt: 'time',
  createdAt: 'time',
  updatedAt: 'time',
  completedAt: 'time',
  claimedAt: 'time',
  attempt: 'number',
  releases: 'number',
  crashes: 'number',
  status: 'text',
  lockedBy: 'text',
  started: 'flag',
  owner: 'own',
  payloadHash: 'own',
  result: 'own',
  recordId: 'own',
  error: 'json',
  history: 'json',
} as const satisfies Readonly<Record<Exclude<keyof Claim, 'key'>, string>>;
const FIELDS = Object.entries(KINDS) as [keyof typeof KINDS, (typeof KINDS)[keyof typeof KINDS]][];

const OWN_NAMES: ReadonlySet<keyof Claim> = new Set<keyof Claim>([
  'key',
  ...FIELDS.flatMap(([name, kind]) => (kind === 'own' || kind === 'json' ? [name] : [])),
]);

export type Fields = { readonly [Field in keyof Claim]?: Claim[Field] | undefined };

/**
 * Returns the write of a whole claim (`isWhole`), without fields whose absence means the same, or of a
 * change, which removes its undefined members.
 */
export function writeOf(fields: Fields, isWhole: boolean): RowWrite {
  const times: string[] = [];
  const texts: string[] = [];
  const own: (keyof Claim)[] = [];
  const removed: string[] = [];
  for (const [name, kind] of FIELDS) {
    const value: unknown = fields[name];
    if (value === undefined) {
      if (!isWhole && name in fields) removed.push(name);
    } else if (kind === 'time') {
      const isSaid = isWhole && name === 'updatedAt' && value === fields.createdAt;
      if (!isSaid) times.push(name, (value as number).toString());
    } else if (kind === 'number') {
      const isSaid = isWhole && value === 0;
      if (!isSaid) texts.push(name, (value as number).toString());
    } else if (kind === 'text') texts.push(name, value as string);
    else if (kind === 'flag') texts.push(name, value === true ? '1' : '0');
    else own.push(name);
  }
  return { times, texts, own, removed, lastsMs: fields.expiresAt };
}

/** Returns the values of the row's own fields, in the order of the write. */
export function ownValues({ own }: Pick<RowWrite, 'own'>, fields: Fields): string[] {
  const values: string[] = [];
  for (const name of own) {
    const value = fields[name];
    values.push(typeof value === 'string' ? value : JSON.stringify(value));
  }
  return values;
}

/** Whether both have the same write: only the values of own fields differ. */
export function isAlike(one: Fields, other: Fields): boolean {
  const names = Object.keys(one) as (keyof Claim)[];
  if (names.length !== Object.keys(other).length) return false;
  for (const name of names) {
    const value = one[name];
    const another = other[name];
    const isSame = OWN_NAMES.has(name)
      ? (value === undefined) === (another === undefined)
      : value === another;
    if (!isSame || (another === undefined && !(name in other))) return false;
  }
  return true;
}

/** Returns the stored values that every transition changes, in the order that the scripts expect. */
export function witnessesOf({ fields }: Row): string[] {
  return ['status', 'owner', 'leaseUntil', 'started'].map((name) => fields.get(name) ?? '');
}

/** Returns the names of the stored fields that the write does not set. */
export function leftBy({ times, texts, own }: RowWrite, { fields }: Row): string[] {
  const set = new Set<string>(own);
  for (const pairs of [times, texts]) {
    for (let index = 0; index < pairs.length; index += 2) set.add(pairs[index] as string);
  }
  return [...fields.keys()].filter((name) => !set.has(name));
}

/**
 * Returns the claim of a row. Its times are relative to `base`, those of its history are not. Throws a
 * `StoreError` for a row that is not a claim (`BATCHLATCH_NOT_A_CLAIM`), or has a newer format.
 */
export function claimOf({ key, fields }: Row, base: number): Claim {
  const read = ((field: keyof typeof KINDS) => {
    const text = fields.get(field);
    const kind = KINDS[field];
    if (text === undefined || kind === 'text' || kind === 'own') return text;
    if (kind === 'flag') return text !== '0';
    if (kind === 'json') return field === 'error' ? errorIn(text) : historyIn(text);
    const number = Number(text);
    if (!Number.isFinite(number)) return undefined;
    return kind === 'time' ? number - base : number;
  }) as FieldReader;
  return claimIn(key, read, NOT_OURS, -base);
}

const NOT_OURS =
  'is not a claim: it is not a hash with an `owner` and a known `status`. ' +
  'Only batchlatch may use the `prefix` of `redisStore`.';

/** Returns the error for a key that another program uses. */
export function notOurs(key: string): StoreError {
  return notAClaim(key, NOT_OURS);
}

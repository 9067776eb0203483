import type { Claim } from '../../claims/claim.ts';
import type { StoreError } from '../../base/errors.ts';
import { claimIn, errorIn, type FieldReader, historyIn, notAClaim } from '../../claims/row-format.ts';

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

/** The fields of a hash: of which kind each is, in the order in which they are written. */
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

type Fields = { readonly [Field in keyof Claim]?: Claim[Field] | undefined };

/** All of a claim (`isWhole`), but for what its absence says as well; or what a change sets, and removes by undefined members. */
export function writeOf(fields: Fields, isWhole: boolean): RowWrite {
  const times: string[] = [];
  const texts: string[] = [];
  const own: string[] = [];
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
    else own.push(name, kind === 'json' ? JSON.stringify(value) : (value as string));
  }
  return { times, texts, own, removed, lastsMs: fields.expiresAt };
}

/** What every transition and every extension changes of a row that was read, in the order that the scripts expect. */
export function witnessesOf({ fields }: Row): string[] {
  return ['status', 'owner', 'leaseUntil', 'started'].map((name) => fields.get(name) ?? '');
}

export function leftBy({ times, texts, own }: RowWrite, { fields }: Row): string[] {
  const set = new Set<string>();
  for (const pairs of [times, texts, own]) {
    for (let index = 0; index < pairs.length; index += 2) set.add(pairs[index] as string);
  }
  return [...fields.keys()].filter((name) => !set.has(name));
}

/**
 * The claim of a row, with its times, but for its history's, relative to `base`. Throws a `StoreError` for a row that is
 * none (`BATCHLATCH_NOT_A_CLAIM`), or of a newer format.
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
  'is not a claim: it is no hash with an `owner` and a known `status`. The keys with the prefix of `redisStore` must be used by batchlatch alone.';

/** The error of a key that somebody else uses. */
export function notOurs(key: string): StoreError {
  return notAClaim(key, NOT_OURS);
}

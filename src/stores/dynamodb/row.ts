import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Claim, ClaimStatus, OperatorChange, StoredError } from '../../claims/claim.ts';
import type { ClaimChange } from '../../claims/transitions.ts';
import { StoreError } from '../../claims/errors.ts';
import { keyHash } from '../../claims/key-hash.ts';

/** An item as DynamoDB's client gives and takes it. */
export type Row = Record<string, AttributeValue>;

/** What each field of a claim is called in the table. */
export type AttributeNames = Readonly<Record<keyof Claim, string>>;

/** The names the template's table uses; `key` is the partition key, `expiresAt` the TTL attribute. */
export const defaultAttributeNames: AttributeNames = {
  key: 'id',
  status: 'status',
  owner: 'owner',
  attempt: 'attempt',
  releases: 'releases',
  crashes: 'crashes',
  started: 'started',
  leaseUntil: 'leaseUntil',
  expiresAt: 'expiresAt',
  createdAt: 'createdAt',
  updatedAt: 'updatedAt',
  completedAt: 'completedAt',
  lockedBy: 'lockedBy',
  payloadHash: 'payloadHash',
  result: 'result',
  error: 'error',
  recordId: 'recordId',
  claimedAt: 'claimedAt',
  history: 'history',
};

/** Maps claims to rows and back, and says by which attributes a row is known and a write conditioned. */
export interface RowFormat {
  /** What each field of a claim is called; the key's is the attribute that tells rows apart. */
  readonly names: AttributeNames;
  /** Every attribute that a claim may have. If several are removed at once, the first must really be removed (see batch-writer.ts). */
  readonly attributes: readonly string[];
  /** The longest result, in UTF-8 bytes of JSON, that fits into an item beside the rest. */
  readonly maxResultBytes: number;
  /** The primary key of a row. */
  toKey(key: string): Row;
  /** All attributes of a claim's row. */
  toRow(claim: Claim): Row;
  /** The claim of a row. Throws a `StoreError` (`BATCHLATCH_NOT_A_CLAIM`) for a row that is none. */
  toClaim(row: Row): Claim;
  /** The attributes that a change sets and those it removes. */
  toChange(change: ClaimChange): { set: Row; remove: string[] };
  /** What a row has while it is IN_PROGRESS with this owner. */
  whereOwnedBy(owner: string): Row;
  /** Of a row that was read, what every transition and every extension changes. */
  whereStill(row: Row): Row;
  /**
   * In which shard of the overdue index a claim is; undefined for a status that is not in it. Absent where rows are
   * written without the index.
   */
  readonly shardOf?: (key: string, status: ClaimStatus) => string | undefined;
}

/** How many bytes of a row a result may take, below DynamoDB's 400 KB for an item, so that the rest fits beside it. */
const MAX_RESULT_BYTES = 350 * 1_024;

export function rowFormat(names: AttributeNames): RowFormat {
  const fields = Object.keys(names) as (keyof Claim)[];
  const witnesses = [names.status, names.owner, names.leaseUntil, names.started];
  return {
    names,
    attributes: Object.values(names),
    maxResultBytes: MAX_RESULT_BYTES,
    toKey: (key) => ({ [names.key]: { S: key } }),
    whereOwnedBy: (owner) => ({ [names.status]: { S: 'IN_PROGRESS' }, [names.owner]: { S: owner } }),
    whereStill: (row) => pick(row, witnesses),
    toRow(claim) {
      const row: Row = {};
      for (const field of fields) {
        const value = claim[field];
        if (value !== undefined && !saysNothing(field, claim)) row[names[field]] = encode(field, value);
      }
      return row;
    },
    toChange(change) {
      const set: Row = {};
      const remove: string[] = [];
      for (const [field, value] of Object.entries(change) as [keyof Claim, Claim[keyof Claim]][]) {
        if (value === undefined) remove.push(names[field]);
        else set[names[field]] = encode(field, value);
      }
      return { set, remove };
    },
    toClaim(row) {
      const text = (field: keyof Claim): string | undefined => row[names[field]]?.S;
      const number = (field: keyof Claim): number | undefined => {
        const digits = row[names[field]]?.N;
        return digits === undefined ? undefined : Number(digits);
      };
      const key = text('key');
      const status = text('status');
      const owner = text('owner');
      if (key === undefined || owner === undefined || !isStatus(status)) {
        throw new StoreError(
          `The row whose key has the hash ${keyHash(key ?? '')} is not a claim: it lacks \`${names.owner}\` or a known \`${names.status}\`. ` +
            'The claims table must be used by batchlatch alone.',
          { isRetryable: false, code: 'BATCHLATCH_NOT_A_CLAIM' },
        );
      }
      const expiresAtSeconds = number('expiresAt');
      return withoutUndefined({
        key,
        status,
        owner,
        attempt: number('attempt') ?? 1,
        releases: number('releases') ?? 0,
        crashes: number('crashes') ?? 0,
        started: row[names.started]?.BOOL,
        leaseUntil: number('leaseUntil') ?? 0,
        expiresAt: expiresAtSeconds === undefined ? undefined : expiresAtSeconds * 1_000,
        createdAt: number('createdAt') ?? 0,
        updatedAt: number('updatedAt') ?? number('createdAt') ?? 0,
        completedAt: number('completedAt'),
        lockedBy: text('lockedBy'),
        payloadHash: text('payloadHash'),
        result: text('result'),
        error: decodeError(row[names.error]),
        recordId: text('recordId'),
        claimedAt: number('claimedAt'),
        history: decodeHistory(text('history')),
      });
    },
  };
}

/** The attributes of these names that the row has. */
export function pick(row: Row, names: readonly string[]): Row {
  const picked: Row = {};
  for (const name of names) {
    const value = row[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

/** What a first claim leaves out, because its absence reads the same: fewer bytes to write, sign and send. */
function saysNothing(field: keyof Claim, claim: Claim): boolean {
  if (field === 'releases' || field === 'crashes') return claim[field] === 0;
  return field === 'updatedAt' && claim.updatedAt === claim.createdAt;
}

function encode(field: keyof Claim, value: NonNullable<Claim[keyof Claim]>): AttributeValue {
  if (isHistory(value)) return { S: JSON.stringify(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') {
    // DynamoDB's TTL is in whole epoch seconds; rounded up, so that nothing is forgotten early.
    return { N: String(field === 'expiresAt' ? Math.ceil(value / 1_000) : value) };
  }
  const { name, message, code } = value;
  return {
    M: { name: { S: name }, message: { S: message }, ...(code !== undefined && { code: { S: code } }) },
  };
}

function decodeError(value: AttributeValue | undefined): StoredError | undefined {
  if (value?.M === undefined) return undefined;
  const code = value.M['code']?.S;
  return {
    name: value.M['name']?.S ?? 'Error',
    message: value.M['message']?.S ?? '',
    ...(code !== undefined && { code }),
  };
}

function isHistory(value: unknown): value is readonly OperatorChange[] {
  return Array.isArray(value);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Told to people only, so a text that is no history does not make the row unreadable. */
function decodeHistory(text: string | undefined): readonly OperatorChange[] | undefined {
  if (text === undefined) return undefined;
  try {
    const history: unknown = JSON.parse(text);
    return isHistory(history) && history.every(isObject) ? history : undefined;
  } catch {
    return undefined;
  }
}

function isStatus(text: string | undefined): text is ClaimStatus {
  return text === 'IN_PROGRESS' || text === 'COMPLETED' || text === 'FAILED' || text === 'PARKED';
}

function withoutUndefined(claim: { [Field in keyof Claim]: Claim[Field] | undefined }): Claim {
  return Object.fromEntries(
    Object.entries(claim).filter(([, value]) => value !== undefined),
  ) as unknown as Claim;
}

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Claim, StoredError } from '../../claims/claim.ts';
import type { ClaimChange } from '../../claims/transitions.ts';
import { historyIn, notAClaim, statusIn } from '../../claims/row-format.ts';

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
  /** Every attribute that a claim may have. If several are removed at once, the first must really be removed (see statements.ts). */
  readonly attributes: readonly string[];
  /** The longest result, in UTF-8 bytes of JSON, that fits into an item beside the rest. */
  readonly maxResultBytes: number;
  /**
   * The primary key of a row.
   *
   * @param key The idempotency key.
   */
  toKey(key: string): Row;
  /**
   * All attributes of a claim's row.
   *
   * @param claim The claim.
   */
  toRow(claim: Claim): Row;
  /**
   * The claim of a row. Throws a `StoreError` for a row that is none (`BATCHLATCH_NOT_A_CLAIM`), or of a newer format
   * (`BATCHLATCH_NEWER_ROW`).
   *
   * @param row A row as it was read.
   */
  toClaim(row: Row): Claim;
  /**
   * The attributes that a change sets and those it removes.
   *
   * @param change What changes of the claim; a field that is undefined is removed.
   */
  toChange(change: ClaimChange): {
    /** Values by attribute name. */
    set: Row;
    /** Names of attributes. */
    remove: string[];
  };
  /**
   * What a row has while it is IN_PROGRESS with this owner.
   *
   * @param owner The token of the attempt.
   */
  whereOwnedBy(owner: string): Row;
  /**
   * Of a row that was read, what every transition and every extension changes.
   *
   * @param row A row as it was read.
   */
  whereStill(row: Row): Row;
}

/** How many bytes of a row a result may take, below DynamoDB's 400 KB for an item, so that the rest fits beside it. */
const MAX_RESULT_BYTES = 350 * 1_024;

export function rowFormat(names: AttributeNames): RowFormat {
  const attributesOf = encoderOf(names);
  const witnesses = [names.status, names.owner, names.leaseUntil, names.started];
  return {
    names,
    attributes: Object.values(names),
    maxResultBytes: MAX_RESULT_BYTES,
    toKey: (key) => ({ [names.key]: { S: key } }),
    // rule: dynamodb-owner
    whereOwnedBy: (owner) => ({ [names.status]: { S: 'IN_PROGRESS' }, [names.owner]: { S: owner } }),
    // rule: dynamodb-as-read
    whereStill: (row) => pick(row, witnesses),
    toRow: (claim) => attributesOf(claim, true),
    toChange(change) {
      const remove: string[] = [];
      for (const field of Object.keys(change) as (keyof ClaimChange)[]) {
        if (change[field] === undefined) remove.push(names[field]);
      }
      return { set: attributesOf(change, false), remove };
    },
    toClaim(row) {
      const text = (field: keyof Claim): string | undefined => row[names[field]]?.S;
      const number = (field: keyof Claim): number | undefined => {
        const digits = row[names[field]]?.N;
        return digits === undefined ? undefined : Number(digits);
      };
      const key = text('key');
      const status = statusIn(text('status'), key ?? '');
      const owner = text('owner');
      if (key === undefined || owner === undefined || status === undefined) {
        throw notAClaim(
          key ?? '',
          `is not a claim: it lacks \`${names.owner}\` or a known \`${names.status}\`. The claims table must be used by batchlatch alone.`,
        );
      }
      const createdAt = number('createdAt') ?? 0;
      const claim: WritableClaim = {
        key,
        status,
        owner,
        attempt: number('attempt') ?? 1,
        releases: number('releases') ?? 0,
        crashes: number('crashes') ?? 0,
        leaseUntil: number('leaseUntil') ?? 0,
        createdAt,
        updatedAt: number('updatedAt') ?? createdAt,
      };
      // rule: dynamodb-ttl
      const expiresAtSeconds = number('expiresAt');
      if (expiresAtSeconds !== undefined) claim.expiresAt = expiresAtSeconds * 1_000;
      for (const field of TEXTS) {
        const value = text(field);
        if (value !== undefined) claim[field] = value;
      }
      for (const field of TIMES) {
        const value = number(field);
        if (value !== undefined) claim[field] = value;
      }
      const started = row[names.started]?.BOOL;
      if (started !== undefined) claim.started = started;
      const error = decodeError(row[names.error]);
      if (error !== undefined) claim.error = error;
      const history = historyIn(text('history'));
      if (history !== undefined) claim.history = history;
      return claim;
    },
  };
}

type WritableClaim = { -readonly [Field in keyof Claim]: Claim[Field] };

const TEXTS = ['lockedBy', 'payloadHash', 'result', 'recordId'] as const;
const TIMES = ['completedAt', 'claimedAt'] as const;

/** The attributes of these names that the row has. */
export function pick(row: Row, names: readonly string[]): Row {
  const picked: Row = {};
  for (const name of names) {
    const value = row[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

type Fields = { readonly [Field in keyof Claim]?: Claim[Field] | undefined };

/**
 * Makes attributes of fields. A whole claim leaves out what its absence says as well: fewer bytes to write, sign and send.
 * A line for each field, because a loop over the fields takes twice as long, and this is done for every write of a record.
 */
function encoderOf(names: AttributeNames): (fields: Fields, isWhole: boolean) => Row {
  const [attempts, releases, crashes, leases, ends] = [numbers(), numbers(), numbers(), numbers(), numbers()];
  const [creations, updates, completions, claimings] = [numbers(), numbers(), numbers(), numbers()];
  return (fields, isWhole) => {
    const row: Row = {};
    const { createdAt, updatedAt } = fields;
    if (fields.key !== undefined) row[names.key] = { S: fields.key };
    if (fields.status !== undefined) row[names.status] = { S: fields.status };
    if (fields.owner !== undefined) row[names.owner] = { S: fields.owner };
    if (fields.attempt !== undefined) row[names.attempt] = attempts(fields.attempt);
    if (isSaid(fields.releases, isWhole)) row[names.releases] = releases(fields.releases);
    if (isSaid(fields.crashes, isWhole)) row[names.crashes] = crashes(fields.crashes);
    if (fields.started !== undefined) row[names.started] = { BOOL: fields.started };
    if (fields.leaseUntil !== undefined) row[names.leaseUntil] = leases(fields.leaseUntil);
    // DynamoDB's TTL is in whole epoch seconds; rounded up, so that nothing is forgotten early.
    if (fields.expiresAt !== undefined) row[names.expiresAt] = ends(Math.ceil(fields.expiresAt / 1_000));
    if (createdAt !== undefined) row[names.createdAt] = creations(createdAt);
    if (updatedAt !== undefined && !(isWhole && updatedAt === createdAt)) {
      row[names.updatedAt] = updates(updatedAt);
    }
    if (fields.completedAt !== undefined) row[names.completedAt] = completions(fields.completedAt);
    if (fields.lockedBy !== undefined) row[names.lockedBy] = { S: fields.lockedBy };
    if (fields.payloadHash !== undefined) row[names.payloadHash] = { S: fields.payloadHash };
    if (fields.result !== undefined) row[names.result] = { S: fields.result };
    if (fields.error !== undefined) row[names.error] = encodeError(fields.error);
    if (fields.recordId !== undefined) row[names.recordId] = { S: fields.recordId };
    if (fields.claimedAt !== undefined) row[names.claimedAt] = claimings(fields.claimedAt);
    if (fields.history !== undefined) row[names.history] = { S: JSON.stringify(fields.history) };
    return row;
  };
}

function isSaid(count: number | undefined, isWhole: boolean): count is number {
  return count !== undefined && !(isWhole && count === 0);
}

/**
 * Remembers the last number: the rows of a batch have their times in common. The rows of a record's two writes take 0.18 µs of CPU so,
 * and 0.44 with a new text for each number (Node 20.20, minima of 60 rounds).
 */
function numbers(): (value: number) => AttributeValue {
  let last = NaN;
  let attribute: AttributeValue = { N: '' };
  return (value) => {
    if (value !== last) {
      last = value;
      attribute = { N: String(value) };
    }
    return attribute;
  };
}

function encodeError({ name, message, code }: StoredError): AttributeValue {
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

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ConfigurationError } from '../../base/errors.ts';
import type { Claim } from '../../claims/claim.ts';
import { claimIn, errorIn, type FieldReader, historyIn } from '../../claims/row-format.ts';
import type { ClaimChange } from '../../claims/transitions.ts';

/** An item as DynamoDB's client gives and takes it. */
export type Row = Record<string, AttributeValue>;

/** What each field of a claim is called in the table. */
export type AttributeNames = Readonly<Record<keyof Claim, string>>;

/** The attributes of a claim, by their types: text, number (times in epoch milliseconds), boolean, map. */
const TYPES = {
  key: 'S',
  status: 'S',
  owner: 'S',
  attempt: 'N',
  releases: 'N',
  crashes: 'N',
  started: 'BOOL',
  leaseUntil: 'N',
  expiresAt: 'N', // in epoch seconds, for DynamoDB's TTL
  createdAt: 'N',
  updatedAt: 'N',
  completedAt: 'N',
  lockedBy: 'S',
  payloadHash: 'S',
  result: 'S',
  error: 'M',
  recordId: 'S',
  claimedAt: 'N',
  history: 'S', // JSON
} as const satisfies Readonly<Record<keyof Claim, keyof AttributeValue>>;

/** The names the template's table uses: those of the fields, but for `id`, the partition key. */
export const defaultAttributeNames: AttributeNames = {
  ...(Object.fromEntries(Object.keys(TYPES).map((field) => [field, field])) as AttributeNames),
  key: 'id',
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
      for (const field in change) {
        if (change[field as keyof ClaimChange] === undefined) remove.push(names[field as keyof ClaimChange]);
      }
      return { set: attributesOf(change, false), remove };
    },
    toClaim(row) {
      const read = ((field) => valueIn(field, row[names[field]])) as FieldReader;
      const why =
        `is not a claim: it lacks \`${names.owner}\` or a known \`${names.status}\`. ` +
        'The claims table must be used by batchlatch alone.';
      return claimIn(read('key'), read, why);
    },
  };
}

function valueIn(field: keyof Claim, attribute: AttributeValue | undefined): unknown {
  const value = attribute?.[TYPES[field]];
  if (value === undefined) return undefined;
  if (field === 'history') return historyIn(value);
  if (field === 'error') {
    const { name, message, code } = value as Row;
    return errorIn({ name: name?.S ?? 'Error', message: message?.S, code: code?.S });
  }
  if (TYPES[field] !== 'N') return value;
  if (field !== 'expiresAt') return Number(value);
  // rule: dynamodb-ttl
  const seconds = Number(value);
  return seconds * 1_000;
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

type Fields = { readonly [Field in keyof Claim]?: Claim[Field] | undefined };

/**
 * Makes attributes of fields. A whole claim leaves out what its absence says as well: fewer bytes to write, sign and send.
 * A line for each field takes 0.2 µs of CPU for the rows of a record's two writes, and a loop over `TYPES` 1.0 (Node 20.20,
 * minima of 60 rounds).
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
    if (fields.error !== undefined) {
      const { name, message, code } = fields.error;
      row[names.error] = {
        M: { name: { S: name }, message: { S: message }, ...(code !== undefined && { code: { S: code } }) },
      };
    }
    if (fields.recordId !== undefined) row[names.recordId] = { S: fields.recordId };
    if (fields.claimedAt !== undefined) row[names.claimedAt] = claimings(fields.claimedAt);
    if (fields.history !== undefined) row[names.history] = { S: JSON.stringify(fields.history) };
    return row;
  };
}

function isSaid(count: number | undefined, isWhole: boolean): count is number {
  return count !== undefined && !(isWhole && count === 0);
}

/** Remembers the last number: the rows of a batch share their times. With a new text for each number they take 0.44 µs. */
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

/** Refuses unknown attributes, names that statements cannot contain, and names that are used twice. */
export function assertAttributeNames(
  names: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, unknown>> = names,
): void {
  const seen = new Set<string>();
  for (const [field, name] of Object.entries(names)) {
    if (!Object.hasOwn(known, field)) {
      throw new ConfigurationError(
        `Unknown attribute \`${field}\`; known attributes are ${Object.keys(known).join(', ')}`,
      );
    }
    // Plain names only: they are written into statements, and DynamoDB has no parameter for a name there.
    if (typeof name !== 'string' || !/^\w{1,255}$/.test(name)) {
      throw new ConfigurationError(
        `Expected attribute \`${field}\` to be named with letters, digits and _, got \`${String(name)}\``,
      );
    }
    if (seen.has(name)) throw new ConfigurationError(`Two attributes are both named \`${name}\``);
    seen.add(name);
  }
}

import type { Claim, ClaimStatus } from '../claims/claim.ts';
import { defined } from '../base/defined.ts';
import { ConfigurationError } from '../base/errors.ts';
import { notAClaim, statusIn } from '../claims/row-format.ts';
import {
  assertAttributeNames,
  type AttributeNames,
  defaultAttributeNames,
  pick,
  type Row,
  type RowFormat,
  rowFormat,
} from '../stores/dynamodb/row.ts';
import { toDocument, toJsonText } from './powertools-data.ts';

/** The options of Powertools' `DynamoDBPersistenceLayer` that describe its table, by their names there. */
export interface PowertoolsTableOptions {
  /** The key attribute. Default `id`. */
  readonly keyAttr?: string;
  /** The sort key attribute, which then holds the keys (partition key: `staticPkValue`). Default: none. */
  readonly sortKeyAttr?: string;
  /** The shared partition key. Default: `idempotency#` and the function's name. Only with `sortKeyAttr`. */
  readonly staticPkValue?: string;
  /** The attribute of the status. Default `status`. */
  readonly statusAttr?: string;
  /** The attribute of the expiry. Default `expiration`. */
  readonly expiryAttr?: string;
  /** The attribute of the lease's end. Default `in_progress_expiration`. */
  readonly inProgressExpiryAttr?: string;
  /** The attribute of the result. Default `data`. */
  readonly dataAttr?: string;
  /** The attribute of the payload hash. Default `validation`. */
  readonly validationKeyAttr?: string;
}

/**
 * Returns the row format of Powertools' idempotency utility with the attribute names of its
 * `DynamoDBPersistenceLayer`, so that both libraries can use one table at the same time. Use it with
 * `powertoolsKey()`. Its interplay and limits are described in docs/migrating-from-powertools.md. Throws a
 * `ConfigurationError` for invalid options.
 *
 * @param options The attribute names that Powertools is configured with.
 *
 * @example
 * dynamoDBStore({ tableName, attributes: powertoolsAttributesNamed({ keyAttr: 'pk' }) });
 */
export function powertoolsAttributesNamed(options: PowertoolsTableOptions): RowFormat {
  const table = { ...powertoolsDefaults, ...options };
  const { staticPkValue: _value, ...tableNames } = table;
  assertAttributeNames(tableNames, KNOWN_OPTIONS);
  const names = claimNames(table);
  const own = { state: 'state', resultText: 'result' };
  const partition = partitionOf(table);
  const keyAttr = table.sortKeyAttr === undefined ? {} : { keyAttr: table.keyAttr };
  assertAttributeNames({ ...names, ...own, ...keyAttr });

  const plain = rowFormat(names);
  // `state` also holds the row's format.
  const witnesses = [names.status, own.state, names.owner, names.leaseUntil, names.expiresAt, names.started];

  function statusAttributes(status: ClaimStatus): Row {
    const { theirs, inProgressUntil } = AS_POWERTOOLS_SEES[status];
    return {
      [names.status]: { S: theirs },
      [own.state]: { S: status },
      ...(inProgressUntil !== undefined && { [names.leaseUntil]: { N: String(inProgressUntil) } }),
    };
  }

  function resultAttributes(json: string): Row {
    const document = toDocument(json);
    return document === undefined ? { [own.resultText]: { S: json } } : { [names.result]: document };
  }

  function resultOf(row: Row): string | undefined {
    const data = row[names.result];
    return row[own.resultText]?.S ?? (data && toJsonText(data));
  }

  /** Reads a row whose last write was by Powertools: it ignores `state`, which then does not match. */
  function theirClaim(row: Row): Claim {
    const key = row[names.key]?.S;
    const theirs = row[names.status]?.S;
    if (key === undefined || (theirs !== 'INPROGRESS' && theirs !== 'COMPLETED')) {
      throw notAClaim(
        key ?? '',
        `is not an idempotency record of Powertools: it lacks a known \`${names.status}\``,
      );
    }
    const seconds = row[names.expiresAt]?.N;
    const expiration = seconds === undefined ? undefined : Number(seconds) * 1_000;
    const inProgressUntil = row[names.leaseUntil]?.N;
    const leaseUntil = inProgressUntil === undefined ? (expiration ?? END_OF_TIME) : Number(inProgressUntil);
    // A function may outlast its record's expiry; the claim must not be forgotten while it runs.
    const expiresAt =
      theirs === 'INPROGRESS' && expiration !== undefined ? Math.max(expiration, leaseUntil) : expiration;
    const result = theirs === 'COMPLETED' ? resultOf(row) : undefined;
    return {
      key,
      status: theirs === 'COMPLETED' ? 'COMPLETED' : 'IN_PROGRESS',
      owner: POWERTOOLS,
      attempt: Number(row[names.attempt]?.N ?? 1),
      releases: Number(row[names.releases]?.N ?? 0),
      crashes: Number(row[names.crashes]?.N ?? 0),
      leaseUntil,
      createdAt: Number(row[names.createdAt]?.N ?? 0), // Powertools stores no time
      updatedAt: Number(row[names.createdAt]?.N ?? 0),
      ...defined({ expiresAt, payloadHash: row[names.payloadHash]?.S, result }),
    };
  }

  return {
    names,
    // `data` and `expiration` come first: Powertools takes NULL for a result, and for an expiry in the past.
    attributes: [...new Set([names.result, names.expiresAt, ...Object.values({ ...names, ...own })])],
    maxResultBytes: MAX_RESULT_BYTES,
    toKey: (key) => ({ ...partition, ...plain.toKey(key) }),
    whereOwnedBy: (owner) => ({
      [names.status]: { S: AS_POWERTOOLS_SEES.IN_PROGRESS.theirs },
      [names.owner]: { S: owner },
      [own.state]: { S: 'IN_PROGRESS' },
    }),
    whereStill: (row) => pick(row, witnesses),
    toRow({ result, ...claim }) {
      return {
        ...partition,
        ...plain.toRow(claim),
        ...statusAttributes(claim.status),
        ...(result !== undefined && resultAttributes(result)),
      };
    },
    toChange({ status, result, ...change }) {
      const { set, remove } = plain.toChange(change);
      if (status !== undefined) Object.assign(set, statusAttributes(status));
      if (result !== undefined) Object.assign(set, resultAttributes(result));
      return { set, remove };
    },
    toClaim(row) {
      const state = statusIn(row[own.state]?.S, row[names.key]?.S ?? '');
      if (state === undefined || row[names.status]?.S !== AS_POWERTOOLS_SEES[state].theirs)
        return theirClaim(row);
      const { [names.result]: _data, ...rest } = row;
      const result = state === 'COMPLETED' ? resultOf(row) : undefined;
      return plain.toClaim({
        ...rest,
        [names.status]: { S: state },
        ...(result !== undefined && { [names.result]: { S: result } }),
      });
    },
  };
}

/** The owner in claims of Powertools, whose rows name none. */
const POWERTOOLS = 'powertools';

/** The last second of the year 9999. */
const END_OF_TIME = 253_402_300_799_000;

/**
 * The row of each state as Powertools reads it. Powertools runs a key if its row is absent, its `expiration`
 * has passed, or it is INPROGRESS with an `in_progress_expiration` in the past. It replays COMPLETED, refuses
 * other INPROGRESS rows as already in progress, and would throw for every duplicate of another status.
 */
const AS_POWERTOOLS_SEES: Readonly<
  Record<ClaimStatus, { readonly theirs: string; readonly inProgressUntil?: number }>
> = {
  IN_PROGRESS: { theirs: 'INPROGRESS' },
  COMPLETED: { theirs: 'COMPLETED' },
  // May run again at once on any clock. Not 0, which Powertools reads as no time.
  FAILED: { theirs: 'INPROGRESS', inProgressUntil: 1 },
  // Parked until its `expiration` or a release, whatever the clock.
  PARKED: { theirs: 'INPROGRESS', inProgressUntil: END_OF_TIME },
};

/**
 * A limit that always fits into an item of 400 KB: a document value can be half as large again as its JSON
 * text (`1,` is two bytes as text and three as a list element).
 */
const MAX_RESULT_BYTES = 230 * 1_024;

const powertoolsDefaults = {
  keyAttr: 'id',
  statusAttr: 'status',
  expiryAttr: 'expiration',
  inProgressExpiryAttr: 'in_progress_expiration',
  dataAttr: 'data',
  validationKeyAttr: 'validation',
};

const KNOWN_OPTIONS = { ...powertoolsDefaults, sortKeyAttr: '' };

/** The row format of Powertools' table with its default attribute names. */
export const powertoolsAttributes: RowFormat = powertoolsAttributesNamed({});

type Table = typeof powertoolsDefaults & PowertoolsTableOptions;

function claimNames(table: Table): AttributeNames {
  return {
    ...defaultAttributeNames,
    key: table.sortKeyAttr ?? table.keyAttr,
    status: table.statusAttr,
    leaseUntil: table.inProgressExpiryAttr,
    expiresAt: table.expiryAttr,
    payloadHash: table.validationKeyAttr,
    result: table.dataAttr,
  };
}

function partitionOf({ keyAttr, sortKeyAttr, staticPkValue }: Table): Row {
  if (sortKeyAttr === undefined) {
    if (staticPkValue === undefined) return {};
    throw new ConfigurationError('Expected `staticPkValue` to come with a `sortKeyAttr`, as in Powertools');
  }
  const value = staticPkValue ?? `idempotency#${process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? ''}`;
  if (typeof value !== 'string' || value === '') {
    throw new ConfigurationError(`Expected \`staticPkValue\` to be a non-empty string, got \`${value}\``);
  }
  return { [keyAttr]: { S: value } };
}

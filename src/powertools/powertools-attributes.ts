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

/** The options of Powertools' `DynamoDBPersistenceLayer` that say how its table is made, by the names they have there. */
export interface PowertoolsTableOptions {
  /** Default `id`. */
  readonly keyAttr?: string;
  /** For a table with a sort key, which has the keys; `staticPkValue` is the partition key of all. Default: none. */
  readonly sortKeyAttr?: string;
  /** Default `idempotency#` and the function's name. Of use with `sortKeyAttr` alone. */
  readonly staticPkValue?: string;
  /** Default `status`. */
  readonly statusAttr?: string;
  /** Default `expiration`. */
  readonly expiryAttr?: string;
  /** Default `in_progress_expiration`. */
  readonly inProgressExpiryAttr?: string;
  /** Default `data`. */
  readonly dataAttr?: string;
  /** Default `validation`. */
  readonly validationKeyAttr?: string;
}

/**
 * The rows of Powertools' idempotency utility, under the names of its `DynamoDBPersistenceLayer`, so that both
 * libraries can work on one table at the same time. Use it with `powertoolsKey()`; what both sides see of each
 * other, and the limits of it, are in docs/migrating-from-powertools.md. Throws a `ConfigurationError` for
 * options that cannot work.
 *
 * @param options The names of the table's attributes, as Powertools was given them.
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
  // `state` holds the format of the row too.
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

  /** A row, or the end of one, that Powertools wrote last: it knows nothing of `state`, which then does not fit. */
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
    // A function may run for longer than its records are remembered; what it holds is not forgotten meanwhile.
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
      createdAt: Number(row[names.createdAt]?.N ?? 0), // Powertools does not tell
      updatedAt: Number(row[names.createdAt]?.N ?? 0),
      ...defined({ expiresAt, payloadHash: row[names.payloadHash]?.S, result }),
    };
  }

  return {
    names,
    // `data` and `expiration` first: to Powertools NULL is a result, and a time that is over.
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

/** Powertools' owner in a claim: its rows name none. */
const POWERTOOLS = 'powertools';

/** The last second that four digits of a year can tell. */
const END_OF_TIME = 253_402_300_799_000;

/**
 * What each state is to Powertools, which runs a key when its row is absent, its `expiration` is over, or it is
 * INPROGRESS with an `in_progress_expiration` that is over; which replays COMPLETED; and which refuses the rest
 * as already in progress. A status of another name would make it throw for every duplicate.
 */
const AS_POWERTOOLS_SEES: Readonly<
  Record<ClaimStatus, { readonly theirs: string; readonly inProgressUntil?: number }>
> = {
  IN_PROGRESS: { theirs: 'INPROGRESS' },
  COMPLETED: { theirs: 'COMPLETED' },
  // It may run again at once, on whatever clock. Not 0, which Powertools takes for no time at all.
  FAILED: { theirs: 'INPROGRESS', inProgressUntil: 1 },
  // Until its `expiration`, or until a person releases it: no clock is to free it before.
  PARKED: { theirs: 'INPROGRESS', inProgressUntil: END_OF_TIME },
};

/**
 * A document value can be half as large again as its JSON text: `1,` is two bytes there, and three as an
 * element of a list. So much of JSON fits into an item of 400 KB in any case.
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

/** Powertools' table as it is by default. */
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

/** The partition key that all rows of a table with a sort key share. */
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

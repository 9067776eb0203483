import { isObject } from '../../base/is-object.ts';
import { StoreError } from '../../base/errors.ts';
import { DEFAULT_TABLE } from './table-name.ts';
import type { StoreErrorCode } from '../../claims/store-error-code.ts';

export type Privilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/** The table and privileges of a failed statement, for the error message. */
export interface FailedOn {
  /** As the user named it. */
  readonly tableName: string;
  readonly privileges: readonly Privilege[];
  /** The function whose statements create the table. Default: `claimsTableSql()`. */
  readonly createdBy?: string;
}

/**
 * Converts an error to a `StoreError` that says what to do, with PostgreSQL's error code (SQLSTATE).
 * Leaves out all that may quote values: `detail`, `where`, and messages about data.
 */
export function toStoreError(thrown: unknown, on: FailedOn): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const told = toldBy(thrown);
  const known = KNOWN.find(({ test }) => test(told));
  const message = known?.message(told, on) ?? `PostgreSQL: ${wordsOf(told)}`;
  const code = known?.code;
  return new StoreError(message, {
    cause: toCause(told),
    isRetryable: isPassing(told),
    ...(code && { code }),
  });
}

interface Known {
  readonly test: (told: Told) => boolean;
  readonly code?: StoreErrorCode;
  readonly message: (told: Told, on: FailedOn) => string;
}

/** Errors that the user can fix. */
const KNOWN: readonly Known[] = [
  {
    test: ({ state }) => /^(42P01|3F000)$/.test(state),
    code: 'BATCHLATCH_TABLE_NOT_FOUND',
    message: (_told, { tableName, createdBy }) =>
      `PostgreSQL has no table \`${tableName}\` in this database and search_path. Create it ` +
      (createdBy === undefined
        ? `(\`npx batchlatch table create ` +
          `--postgres${tableName === DEFAULT_TABLE ? '' : ` --table ${tableName}`}\`, ` +
          'or the statements of claimsTableSql())'
        : `(the statements of ${createdBy})`) +
      ', or name the right one in `table`.',
  },
  {
    test: ({ state }) => state === '42501',
    code: 'BATCHLATCH_ACCESS_DENIED',
    message: ({ message }, { tableName, privileges }) =>
      `The role may not use table \`${tableName}\` (${message}). ` +
      `GRANT ${privileges.join(', ')} ON ${tableName} to the role, and USAGE on its schema.`,
  },
  {
    test: ({ state, message }) =>
      /^(28...|3D000)$/.test(state) || message.includes('password must be a string'),
    code: 'BATCHLATCH_CREDENTIALS',
    message: (told) =>
      `PostgreSQL did not let the role in: ${wordsOf(told)}. Check the options of the pool, and pg_hba.conf.`,
  },
  {
    test: ({ state }) => /^(42703|42P10|42804|42883)$/.test(state),
    message: (told, { tableName, createdBy = 'claimsTableSql()' }) =>
      `Table \`${tableName}\` is not as ${createdBy} makes it: ${wordsOf(told)}. Run its statements.`,
  },
  {
    test: ({ state }) => state === '25006',
    message: (told) =>
      `PostgreSQL does not take writes (${wordsOf(told)}): the connection leads to a replica, or to ` +
      `what was the primary ` +
      'before a failover. Connect to the writer.',
  },
];

/**
 * Errors after which the same statement may succeed by itself: connection (08), transaction rolled back
 * (40), resources (53), operator intervention (57), a lock that was not to be had (55), the time limits of a
 * transaction (25P03, 25P04), the system (58), and all of the network's.
 */
const PASSING = /^(08|40|53|55P03|57|58|25006|25P03|25P04)/;

/** Network errors, and those of a process with too many files: Node's codes, and the messages of `pg`. */
const NETWORK =
  /^(ECONN\w+|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOENT|E[MN]FILE|EADDRNOTAVAIL)$/;
const CONNECTION =
  /connection (terminated|error|ended|timeout)|query read timeout|timeout e(xceeded|xpired)|not queryable/i;

function isPassing({ state, code, message }: Told): boolean {
  return state === '' ? NETWORK.test(code) || CONNECTION.test(message) : PASSING.test(state);
}

/**
 * Returns whether the same statement may be sent again soon; not if it was cancelled for running too long.
 */
export function mayBeResent(thrown: unknown): boolean {
  // Without a cause, the database did not answer.
  if (thrown instanceof StoreError && thrown.cause === undefined) return thrown.isRetryable;
  const told = toldBy(thrown);
  return isPassing(told) && told.state !== '57014';
}

/**
 * Returns whether the session lacks the prepared statement, or has another of its name, because a pooler
 * has changed sessions; or whether its plan is outdated (0A000), because a column has another type now. The
 * statement was not carried out.
 */
export function isOfSession(thrown: unknown): boolean {
  return /^(26000|42P05|0A000)$/.test(toldBy(thrown).state);
}

/**
 * Returns whether the connection is still usable: the database has answered, with an error of the
 * statement alone.
 */
export function leavesConnection(thrown: unknown): boolean {
  const { state, severity } = toldBy(thrown);
  return severity === 'ERROR' && !/^(08|25006|57P)/.test(state);
}

/** Returns whether an item's content may be the reason: data (22), constraints (23), limits (54). */
export function isOfItems(thrown: unknown): boolean {
  return /^(22|23|54)/.test(toldBy(thrown).state);
}

interface Told {
  readonly name: string;
  /** The SQLSTATE, or empty. */
  readonly state: string;
  /** Node's error code, or empty. */
  readonly code: string;
  readonly severity: string;
  /** Empty if it may quote values. */
  readonly message: string;
}

/** Classes of errors whose messages quote no values. */
const NAMES_NO_VALUES = /^(08|25|28|3D|3F|40|42|53|55|57|58)/;

function toldBy(thrown: unknown): Told {
  if (thrown instanceof StoreError && thrown.cause !== undefined) return toldBy(thrown.cause);
  if (!isObject(thrown)) return { name: typeof thrown, state: '', code: '', severity: '', message: '' };
  const { name, code, severity, message } = thrown as Readonly<Record<string, unknown>>;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const state = /^[0-9A-Z]{5}$/.test(text(code)) && !NETWORK.test(text(code)) ? text(code) : '';
  return {
    name: text(name),
    state,
    code: state === '' ? text(code) : '',
    severity: text(severity),
    message: state === '' || NAMES_NO_VALUES.test(state) ? withoutPassword(text(message)) : '',
  };
}

/** Removes the credentials of a connection string. */
function withoutPassword(message: string): string {
  return message.replaceAll(/\/\/[^/\s]*@/g, '//');
}

function wordsOf({ name, state, code, message }: Told): string {
  const kind = state || code || (name === 'Error' ? '' : name);
  return [kind, message].filter((part) => part !== '').join(': ');
}

/** An error that may be logged with all of its properties. */
function toCause({ name, state, code, severity, message }: Told): Error {
  const cause = new Error(message);
  const known = state || code;
  return Object.assign(cause, { name, ...(known && { code: known }), ...(severity && { severity }) });
}

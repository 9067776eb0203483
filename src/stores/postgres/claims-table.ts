import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { PostgresPool, SqlStatement } from './pool.ts';
import { acquireText, changeText, readText } from './statements.ts';
import { DEFAULT_TABLE, quotedTable } from './table-name.ts';

/** What a claims table is made of; tests say the time otherwise. */
export interface ClaimsTableSetup {
  readonly pool: PostgresPool;
  /** `batchlatch_claims`, or `schema.table`. */
  readonly tableName: string;
  /** This process's, for what it waits for and for what the engine compares with its own. */
  readonly clock: Clock;
  /** Gives the SQL expression for the time, which decides leases. */
  readonly now: () => string;
  /** Whether sessions remember the statements of attempts. Default: false. */
  readonly prepare?: boolean | undefined;
  /** A number from 0 up to, not including, 1, for the jitter of resends. */
  readonly random: () => number;
}

/** A claims table, and the statements that are sent to it. */
export interface ClaimsTable extends ClaimsTableSetup {
  /** The name with quotes, for statements. */
  readonly table: string;
  /** The statements of attempts, without their values. */
  readonly statements: () => ClaimStatements;
  /** From now on statements have no names. */
  readonly stopPreparing: () => void;
}

/** A statement that may be prepared. */
export type NamedText = Pick<SqlStatement, 'name' | 'text'>;

interface ClaimStatements {
  readonly acquire: NamedText;
  readonly change: NamedText;
  readonly read: NamedText;
}

/** Throws a `ConfigurationError` for a name that is no table's. */
export function claimsTable({
  tableName = DEFAULT_TABLE,
  ...setup
}: Omit<ClaimsTableSetup, 'tableName'> & { readonly tableName?: string | undefined }): ClaimsTable {
  const table = quotedTable(tableName);
  let isPrepared = setup.prepare === true;
  let now: string | undefined;
  let statements: ClaimStatements | undefined;
  const named = (text: string): NamedText => (isPrepared ? { name: nameOf(text), text } : { text });
  return {
    ...setup,
    tableName,
    table,
    statements() {
      const current = setup.now();
      if (statements !== undefined && current === now) return statements;
      now = current;
      statements = {
        acquire: named(acquireText(table, now)),
        change: named(changeText(table, now)),
        read: named(readText(table, now)),
      };
      return statements;
    },
    stopPreparing() {
      isPrepared = false;
      statements = undefined;
    },
  };
}

/** The same name means the same statement, also where sessions are shared by several versions of a program. */
function nameOf(text: string): string {
  return `batchlatch_${hash('sha256', text).slice(0, 32)}`;
}

/** The expression for the time that a clock shows: for tests, whose clock stands still. */
export function timeOf(clock: Pick<Clock, 'now'>): string {
  return `to_timestamp(${clock.now()} / 1000.0)`;
}

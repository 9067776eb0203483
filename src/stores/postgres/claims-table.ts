import { hash } from 'node:crypto';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { PostgresPool, SqlStatement } from './pool.ts';
import {
  acquireText,
  changeText,
  completeAllText,
  DATABASE_TIME,
  insertText,
  othersText,
  readText,
} from './statements.ts';
import { DEFAULT_TABLE, quotedTable } from './table-name.ts';

/** A statement that may be prepared. */
export type NamedText = Pick<SqlStatement, 'name' | 'text'>;

export interface ClaimsTable {
  readonly pool: PostgresPool;
  /** As the user named it. */
  readonly tableName: string;
  /** The name with quotes, for statements. */
  readonly table: string;
  /** This process's, for what it waits for and for what the engine compares with its own. */
  readonly clock: Clock;
  /** Gives the SQL expression for the time, which decides leases. */
  readonly now: () => string;
  /** A number from 0 up to, not including, 1, for the jitter of resends. */
  readonly random: () => number;
  readonly statements: () => Readonly<
    Record<'insert' | 'others' | 'acquire' | 'complete' | 'change' | 'read', NamedText>
  >;
  /** Sends statements without names from now on. */
  readonly stopPreparing: () => void;
}

interface ClaimsTableSetup extends Partial<Pick<ClaimsTable, 'clock' | 'now' | 'random'>> {
  readonly pool: PostgresPool;
  readonly tableName?: string | undefined;
  /** Whether sessions remember the statements of attempts. Default: false. */
  readonly prepare?: boolean | undefined;
}

/** Tests say the time otherwise. Throws a `ConfigurationError` for a name that is no table's. */
export function claimsTable({
  pool,
  tableName = DEFAULT_TABLE,
  prepare: isPrepared = false,
  clock = systemClock,
  now = () => DATABASE_TIME,
  random = Math.random,
}: ClaimsTableSetup): ClaimsTable {
  const table = quotedTable(tableName);
  let time: string | undefined;
  let statements: ReturnType<ClaimsTable['statements']> | undefined;
  const named = (text: string): NamedText => (isPrepared ? { name: nameOf(text), text } : { text });
  return {
    pool,
    tableName,
    table,
    clock,
    now,
    random,
    statements() {
      const current = now();
      if (statements !== undefined && current === time) return statements;
      time = current;
      statements = {
        insert: named(insertText(table, time)),
        others: named(othersText(table, time)),
        acquire: named(acquireText(table, time)),
        complete: named(completeAllText(table, time)),
        change: named(changeText(table, time)),
        read: named(readText(table, time)),
      };
      return statements;
    },
    stopPreparing() {
      isPrepared = false;
      statements = undefined;
    },
  };
}

/** Derives the name from the text: sessions may be shared by several versions of a program. */
function nameOf(text: string): string {
  return `batchlatch_${hash('sha256', text).slice(0, 32)}`;
}

/** The expression for the time that a clock shows: for tests, whose clock stands still. */
export function timeOf(clock: Pick<Clock, 'now'>): string {
  return `to_timestamp(${clock.now()} / 1000.0)`;
}

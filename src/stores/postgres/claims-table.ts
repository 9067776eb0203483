import type { Clock } from '../../claims/clock.ts';
import type { PostgresPool } from './pool.ts';
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
  /** A number from 0 up to, not including, 1, for the jitter of resends. */
  readonly random: () => number;
}

/** A claims table, and the statements that are sent to it. */
export interface ClaimsTable extends ClaimsTableSetup {
  /** The name with quotes, for statements. */
  readonly table: string;
  /** The statements of attempts. */
  readonly texts: () => ClaimTexts;
}

interface ClaimTexts {
  readonly acquire: string;
  readonly change: string;
  readonly read: string;
}

/** Throws a `ConfigurationError` for a name that is no table's. */
export function claimsTable({
  tableName = DEFAULT_TABLE,
  ...setup
}: Omit<ClaimsTableSetup, 'tableName'> & { readonly tableName?: string | undefined }): ClaimsTable {
  const table = quotedTable(tableName);
  let now: string | undefined;
  let texts: ClaimTexts | undefined;
  return {
    ...setup,
    tableName,
    table,
    texts() {
      const current = setup.now();
      if (texts !== undefined && current === now) return texts;
      now = current;
      texts = {
        acquire: acquireText(table, now),
        change: changeText(table, now),
        read: readText(table, now),
      };
      return texts;
    },
  };
}

/** The expression for the time that a clock shows: for tests, whose clock stands still. */
export function timeOf(clock: Pick<Clock, 'now'>): string {
  return `to_timestamp(${clock.now()} / 1000.0)`;
}

import type { StoreAndAdmin } from './store-and-admin.ts';
import { adminOf } from '../../src/stores/postgres/postgres-admin.ts';
import { randomUUID } from 'node:crypto';
import type { RowsSubject } from 'batchlatch/testing';
import { Pool, type PoolConfig } from 'pg';
import type { Clock } from '../../src/base/clock.ts';
import { type ClaimsTable, claimsTable, timeOf } from '../../src/stores/postgres/claims-table.ts';
import { claimsTableSql } from '../../src/stores/postgres/claims-table-sql.ts';
import { claimsIn } from '../../src/stores/postgres/postgres-store.ts';
import type { PostgresPool } from '../../src/stores/postgres/pool.ts';
import { storedKey } from '../../src/stores/postgres/storable.ts';

/** A pool that leads to a PostgreSQL. */
export function poolOf(endpoint: string, options: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString: endpoint, max: 10, ...options });
  pool.on('error', () => undefined); // of connections that nobody uses
  return pool;
}

/** Creates a claims table, and gives its name. */
export async function createPostgresTable(pool: Pool): Promise<string> {
  const table = `claims_${randomUUID().slice(0, 8)}`;
  await pool.query(claimsTableSql({ table }));
  return table;
}

/** A table whose database goes by a clock that stands still. */
export function tableByClock(pool: PostgresPool, tableName: string, clock: Clock): ClaimsTable {
  return claimsTable({ pool, tableName, clock, now: () => timeOf(clock), random: () => 0 });
}

/** The store in it. */
export function storeByClock(pool: PostgresPool, tableName: string, clock: Clock): StoreAndAdmin {
  const table = tableByClock(pool, tableName, clock);
  return { ...adminOf(table), ...claimsIn(table) };
}

/** The rows of a claims table past the store. */
export function rowsOfPostgres(table: () => { readonly pool: Pool; readonly name: string }): RowsSubject {
  return {
    async makeNewer(key, format) {
      const { pool, name } = table();
      await pool.query(`UPDATE ${name} SET status = status || $2 WHERE key = $1`, [storedKey(key), format]);
    },
    async read(key) {
      const { pool, name } = table();
      const { rows } = await pool.query(`SELECT xmin, * FROM ${name} WHERE key = $1`, [storedKey(key)]);
      return rows[0];
    },
  };
}

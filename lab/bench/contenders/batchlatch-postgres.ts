import { claimsTableSql, postgresStore } from 'batchlatch/postgres';
import type { BatchHandler, ContenderSetup, MakeBatchHandler } from './contender.ts';
import { processor } from './batchlatch-processor.ts';
import { postgresName, sharedPool } from './postgres-pool.ts';

export const batchlatchPostgres: MakeBatchHandler = (setup) => onPostgres(setup, false);

/** With statements that each connection remembers, as the loop by hand has them. */
export const batchlatchPostgresPrepared: MakeBatchHandler = (setup) => onPostgres(setup, true);

async function onPostgres(setup: ContenderSetup, prepare: boolean): Promise<BatchHandler> {
  const pool = sharedPool(setup.endpoint);
  const table = postgresName(setup.tableName);
  await pool.query(claimsTableSql({ table }));
  return processor(setup, postgresStore({ pool, table, prepare }));
}

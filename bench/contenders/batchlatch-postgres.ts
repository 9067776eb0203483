import { claimsTableSql, postgresStore } from 'batchlatch/postgres';
import type { MakeBatchHandler } from './contender.ts';
import { processor } from './batchlatch-processor.ts';
import { postgresName, sharedPool } from './postgres-pool.ts';

export const batchlatchPostgres: MakeBatchHandler = async (setup) => {
  const pool = sharedPool(setup.endpoint);
  const table = postgresName(setup.tableName);
  await pool.query(claimsTableSql({ table }));
  return processor(setup, postgresStore({ pool, table }));
};

import type { StoreCallOptions } from '../../claims/claim-store.ts';
import type { Operations } from '../../claims/operated.ts';
import { operableStore } from '../rows/operable-store.ts';
import type { ClaimsTable } from './claims-table.ts';
import { rowLister } from './lister.ts';
import { rowOperator } from './operator.ts';
import { numberIn } from './row.ts';
import { send } from './sender.ts';
import { milliseconds } from './statements.ts';

/** What people do with the claims of a table. Only `batchlatch/operations` brings it along. */
export function operationsOnTable(table: ClaimsTable): Operations {
  const operator = rowOperator(table);
  const lister = (): ReturnType<typeof rowLister> => rowLister(table);
  /** The database's clock decides here too. */
  async function atDatabaseTime({ signal }: StoreCallOptions = {}): Promise<Operations> {
    const text = `SELECT ${milliseconds(table.now())} AS now`;
    const { rows } = await send(table, { text, values: [], privileges: ['SELECT'] }, signal);
    const now = numberIn(rows[0]?.['now']) ?? 0;
    return operableStore({ operator, lister, clock: { now: () => now }, clockToleranceMs: 0 });
  }
  return {
    list: async (query, options) => (await atDatabaseTime(options)).list(query, options),
    count: async (query, options) => (await atDatabaseTime(options)).count(query, options),
    operate: async (operations, options) => (await atDatabaseTime(options)).operate(operations, options),
    adopt: async (claims, options) => (await atDatabaseTime(options)).adopt?.(claims, options) ?? [],
  };
}

import type { Operations } from '../../claims/operated.ts';
import { operableStore } from '../rows/operable-store.ts';
import { claimLister } from './claim-lister.ts';
import type { ClaimsTable } from './claims-table.ts';
import { itemOperator } from './item-operator.ts';
import { rowWriter } from './row-writer.ts';

/** What people do with the claims of a table. Only `batchlatch/operations` brings it along. */
export function operationsOnTable(table: ClaimsTable): Operations {
  const { items, itemsOf, format, clock, clockToleranceMs } = table;
  return operableStore({
    operator: { ...itemOperator(table, items, format), insert: rowWriter(items, format).insert },
    lister: () => claimLister({ ...table, readerOf: itemsOf }),
    clock,
    clockToleranceMs,
  });
}

import type { OperableStore } from '../../claims/operable-store.ts';
import { operableStore } from '../conditional/operable-store.ts';
import { claimLister } from './claim-lister.ts';
import type { ClaimsTable, DynamoDBStoreOptions } from './claims-table.ts';
import { itemOperator } from './item-operator.ts';
import { claimsIn, forwarded, onTable, type TableStore } from './table-store.ts';

/**
 * Claims in a DynamoDB table. Throws a `ConfigurationError` for options that cannot work. Without `tableName` and
 * `CLAIMS_TABLE_NAME` it throws one in Lambda; elsewhere its first call rejects with it.
 *
 * @example
 * createBatchProcessor(handler, { store: cached(dynamoDBStore(), { max: 1_000 }) });
 */
export function dynamoDBStore(options: DynamoDBStoreOptions = {}): OperableStore {
  const { store, later } = onTable(options, operableClaimsIn);
  if (store !== undefined) return store;
  return {
    ...forwarded(later, options),
    list: async (...call) => later().list(...call),
    count: async (...call) => later().count(...call),
    operate: async (...call) => later().operate(...call),
  };
}

function operableClaimsIn(table: ClaimsTable): TableStore & OperableStore {
  const { items, itemsOf, format, clock, clockToleranceMs } = table;
  return {
    ...claimsIn(table),
    ...operableStore({
      operator: itemOperator(table, items, format),
      lister: () => claimLister({ ...table, readerOf: itemsOf }),
      clock,
      clockToleranceMs,
    }),
  };
}

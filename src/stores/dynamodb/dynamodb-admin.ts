import { systemClock } from '../../base/clock.ts';
import { boundedAdmin } from '../../claims/bounded-admin.ts';
import type { ClaimAdmin } from '../../claims/claim-admin.ts';
import type { ResultStorage } from '../../claims/result-storage.ts';
import { adminOfRows, type RowOperator, type RowsAdmin } from '../rows/admin-of-rows.ts';
import { withResultsIn } from '../rows/result-forms.ts';
import { claimLister } from './claim-lister.ts';
import {
  checkTableOptions,
  type ClaimsTable,
  claimsTable,
  type DynamoDBStoreOptions,
  formatOf,
} from './claims-table.ts';
import { rowWriter } from './item-writer.ts';
import type { Row } from './row.ts';
import { singleWriter, updateExpressions, writeItem } from './single-writer.ts';
import { whenTableIsNamed } from './table-from-environment.ts';

/** Options of `dynamoDBAdmin()`: those of the store, and its storage of long results. */
export interface DynamoDBAdminOptions extends DynamoDBStoreOptions {
  /** The storage that the store uses with `resultsIn`, for long results that people give. Default: none. */
  readonly results?: ResultStorage;
}

/**
 * Creates the admin of a DynamoDB claims table, for `batchlatch/operations`, the monitor and the console.
 * Each call ends within 60 seconds. Throws a `ConfigurationError` for invalid options. Without `tableName`
 * and `CLAIMS_TABLE_NAME` it throws one in Lambda; elsewhere its first call rejects with it.
 *
 * @param options The table, the client and the requests, as for `dynamoDBStore`.
 *
 * @example
 * const { count } = await dynamoDBAdmin({ tableName: 'claims' }).count({ state: 'parked' });
 */
export function dynamoDBAdmin({ results, ...options }: DynamoDBAdminOptions = {}): ClaimAdmin {
  checkTableOptions('dynamoDBAdmin', options);
  const { tableName, clock = systemClock, attributes } = options;
  const admin = tableName === undefined ? inNamedTable(options) : inTable(tableName, options);
  const { maxResultBytes } = formatOf(attributes);
  return boundedAdmin(
    results === undefined ? admin : withResultsIn(results, admin, maxResultBytes, clock),
    clock,
  );
}

function inTable(tableName: string, options: DynamoDBStoreOptions): RowsAdmin {
  const table = claimsTable(tableName, options);
  const { clock, clockToleranceMs } = table;
  const lister = (): ReturnType<typeof claimLister> => claimLister(table);
  return adminOfRows({ operator: operatorOf(table), lister, clock, clockToleranceMs });
}

function inNamedTable(options: DynamoDBStoreOptions): RowsAdmin {
  const admin = whenTableIsNamed((tableName) => {
    checkTableOptions('dynamoDBAdmin', { tableName });
    return inTable(tableName, options);
  });
  return {
    list: async (...call) => admin().list(...call),
    count: async (...call) => admin().count(...call),
    read: async (...call) => admin().read(...call),
    change: async (...call) => admin().change(...call),
    adopt: async (...call) => admin().adopt(...call),
  };
}

/**
 * Writes with a request per item, whatever `writes` says: a PartiQL update removes at most one attribute, and
 * a PartiQL `DELETE` of an absent item succeeds, as if this caller had deleted it.
 */
function operatorOf(table: ClaimsTable): RowOperator<Row> {
  const { items, format } = table;
  const { insert, read, toClaim } = rowWriter(items, format);
  const { replace } = rowWriter(singleWriter(table), format);
  return {
    insert,
    read,
    toClaim,
    replace,
    delete(rows, signal) {
      const deletes = rows.map((row) => {
        const where = format.whereStill(row);
        const { UpdateExpression: _none, ...condition } = updateExpressions({ ...NO_UPDATE, where });
        const input = { Key: format.toKey(row[format.names.key]?.S ?? ''), ...condition };
        return writeItem('DeleteItem', input, table, signal);
      });
      return Promise.all(deletes);
    },
  };
}

const NO_UPDATE = { key: '', set: {}, remove: [] };

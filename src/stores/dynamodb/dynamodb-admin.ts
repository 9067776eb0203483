import { systemClock } from '../../base/clock.ts';
import { boundedAdmin } from '../../claims/bounded-admin.ts';
import type { ClaimAdmin } from '../../claims/claim-admin.ts';
import type { ResultStorage } from '../../claims/result-storage.ts';
import { withResultsIn } from '../rows/result-forms.ts';
import { adminOfRows, type RowsAdmin, type RowOperator } from '../rows/admin-of-rows.ts';
import { claimLister } from './claim-lister.ts';
import { checkTableOptions, claimsTable, type DynamoDBStoreOptions, formatOf } from './claims-table.ts';
import { rowWriter, replacing } from './row-writer.ts';
import { whenTableIsNamed } from './table-from-environment.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { WriterSetup } from './batch-writer.ts';
import { toStoreError } from './failures.ts';
import { isConditionalCheckFailed, singleWriter, whereExpressions } from './single-writer.ts';
import { type ItemWriter, refused, WRITTEN } from './item-writer.ts';
import type { ShardedFormat } from './overdue-index.ts';
import type { DeleteOutcome } from '../rows/row-writer.ts';
import type { Row } from './row.ts';

/** Options of `dynamoDBAdmin()`: those of the store, and where its long results are. */
export interface DynamoDBAdminOptions extends DynamoDBStoreOptions {
  /** The storage that the store has by `resultsIn`, for long results that a person gives. Default: none. */
  readonly results?: ResultStorage;
}

/**
 * What people and tools do with the claims of a DynamoDB table, for `batchlatch/operations`, the monitor and the console. Each call
 * ends within 60 seconds. Throws a `ConfigurationError` for options that cannot work. Without `tableName` and
 * `CLAIMS_TABLE_NAME` it throws one in Lambda; elsewhere its first call rejects with it.
 *
 * @param options The table, the client, and how requests are made, as for `dynamoDBStore`.
 *
 * @example
 * const { count } = await dynamoDBAdmin({ tableName: 'claims' }).count({ state: 'parked' });
 */
export function dynamoDBAdmin({ results, ...options }: DynamoDBAdminOptions = {}): ClaimAdmin {
  checkTableOptions('dynamoDBAdmin', options, 'tableName' in options);
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
  const { items, itemsOf, format, clock, clockToleranceMs } = table;
  return adminOfRows({
    operator: { ...itemOperator(table, items, format), insert: rowWriter(items, format).insert },
    lister: () => claimLister({ ...table, readerOf: itemsOf }),
    clock,
    clockToleranceMs,
  });
}

function inNamedTable(options: DynamoDBStoreOptions): RowsAdmin {
  const admin = whenTableIsNamed((tableName) => {
    checkTableOptions('dynamoDBAdmin', { tableName }, true);
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
 * What people change is written with a request per item, whatever `writes` says: a PartiQL statement removes one attribute
 * at most, and a `DELETE` of what is gone succeeds, so that two people would both have deleted it.
 */
function itemOperator(
  setup: WriterSetup,
  reader: Pick<ItemWriter, 'read'>,
  format: ShardedFormat,
): Omit<RowOperator<Row>, 'insert'> {
  const { transport, tableName, keyName, toKey } = setup;
  const single = singleWriter(setup);

  async function deleteOne(row: Row, signal: StopSignal | undefined): Promise<DeleteOutcome<Row>> {
    try {
      await transport.send(
        'DeleteItem',
        {
          TableName: tableName,
          Key: toKey(row[keyName]?.S ?? ''),
          ...whereExpressions(format.whereStill(row)),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
        signal,
      );
      return WRITTEN;
    } catch (thrown) {
      if (!isConditionalCheckFailed(thrown))
        return { status: 'error', error: toStoreError(thrown, tableName) };
      return { ...refused(thrown.Item), wasResent: (thrown.$metadata?.attempts ?? 1) > 1 };
    }
  }

  return {
    read: (keys, signal) => reader.read(keys, signal),
    toClaim: (row) => format.toClaim(row),
    replace: (replacements, signal) =>
      single.update(
        replacements.map((replacement) => replacing(replacement, format)),
        signal,
      ),
    delete: (rows, signal) => Promise.all(rows.map((row) => deleteOne(row, signal))),
  };
}

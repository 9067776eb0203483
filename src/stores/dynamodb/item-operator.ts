import type { StopSignal } from '../../base/stop.ts';
import type { RowOperator } from '../rows/operate.ts';
import type { WriterSetup } from './batch-writer.ts';
import { toStoreError } from './failures.ts';
import { type ItemWriter, refused, WRITTEN } from './item-writer.ts';
import type { ShardedFormat } from './overdue-index.ts';
import type { DeleteOutcome } from '../rows/row-writer.ts';
import { replacing } from './row-writer.ts';
import type { Row } from './row.ts';
import { isConditionalCheckFailed, singleWriter, whereExpressions } from './single-writer.ts';

/**
 * What people change is written with a request per item, whatever `writes` says: a PartiQL statement removes one attribute
 * at most, and a `DELETE` of what is gone succeeds, so that two people would both have deleted it.
 */
export function itemOperator(
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

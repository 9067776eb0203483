import { doctorLive } from '../../doctor/index.ts';
import type { ConnectionOptions, TableOptions } from '../arguments/common-options.ts';
import { withDynamoDB } from '../connect/dynamodb.ts';
import { refuseRedis, tableNameOf } from '../connect/table-name.ts';
import type { RedisOptions } from '../connect/redis.ts';
import { showReport } from '../doctor/report.ts';
import type { Run } from '../subcommand.ts';
import type { PostgresTableOptions } from './postgres-table.ts';

/** The options of `table check`; `attributes` may come from before the command. */
type CheckOptions = ConnectionOptions &
  PostgresTableOptions &
  RedisOptions &
  Pick<TableOptions, 'attributes'>;

/** Runs `table check`: the checks of `doctor --table`, with permission to describe the table only. */
export const checkCommand: Run<CheckOptions> = async (context, options) => {
  refuseRedis(options);
  if (options.postgres !== undefined) {
    const { checkPostgresTable } = await import('./postgres-table.ts');
    return checkPostgresTable(context, options);
  }
  const tableName = tableNameOf(options.table, context);
  const isPowertools = options.attributes === 'powertools';
  return withDynamoDB(context, options, async (dynamoDB) =>
    showReport(await doctorLive({ dynamoDB }, { tableName, isPowertools }), context),
  );
};

import { UsageError } from '../cli-error.ts';
import type { ProcessIo } from '../process-io.ts';
import type { RedisOptions } from './redis.ts';

/** Returns the claims table of `--table`, else of CLAIMS_TABLE_NAME. Throws a `UsageError` without either. */
export function tableNameOf(table: string | undefined, context: Pick<ProcessIo, 'env'>): string {
  return nameOr(table, 'CLAIMS_TABLE_NAME', 'claims table', context);
}

/** Returns the outbox table of `option`, else of OUTBOX_TABLE_NAME. Throws a `UsageError` without either. */
export function outboxTableNameOf(
  table: string | undefined,
  context: Pick<ProcessIo, 'env'>,
  option: '--table' | '--outbox',
): string {
  return nameOr(table, 'OUTBOX_TABLE_NAME', 'outbox table', context, option);
}

function nameOr(
  table: string | undefined,
  variable: string,
  what: string,
  { env }: Pick<ProcessIo, 'env'>,
  option = '--table',
): string {
  const name = table ?? env[variable] ?? '';
  if (name === '') throw new UsageError(`No ${what} is named: add ${option} NAME, or set ${variable}.`);
  // A table name or an ARN.
  if (/^[\w.:/-]{3,1024}$/.test(name)) return name;
  const given = table === undefined ? variable : option;
  throw new UsageError(`${given} must be the name or the ARN of a DynamoDB table.`);
}

/** Throws a `UsageError` for `--redis` with the commands of tables. */
export function refuseRedis({ redis }: Pick<RedisOptions, 'redis'>): void {
  if (redis === undefined) return;
  throw new UsageError(
    'Redis has no tables: `doctor --redis` looks at the server, and needs nothing created.',
  );
}

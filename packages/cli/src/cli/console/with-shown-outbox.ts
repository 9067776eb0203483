import type { ConsoleOptions } from '../../console/options.ts';
import type { TableOptions } from '../arguments/common-options.ts';
import { withOutbox } from '../connect/outbox.ts';
import type { Context } from '../context.ts';

/** The options that name the outbox of a console, beside those that name its claims. */
export interface ShownOutboxOptions {
  /** Its table; `true`: the table that `batchlatch outbox` opens without `--table`. */
  readonly outbox?: string | true;
  /** Its database, if the claims are elsewhere; `true`: the environment names it. */
  readonly outboxPostgres?: string | true;
}

/** Opens the outbox that the options name for `use`: where the claims are, unless they are in Redis. */
export async function withShownOutbox<Result>(
  context: Context,
  { outbox, outboxPostgres, ...claims }: ShownOutboxOptions & TableOptions,
  use: (shown: Pick<ConsoleOptions, 'outbox'>) => Promise<Result>,
): Promise<Result> {
  if (outbox === undefined && outboxPostgres === undefined) return use({});
  const { table: _table, redis: _redis, ...connection } = claims;
  const options = {
    ...connection,
    ...(typeof outbox === 'string' && { table: outbox }),
    ...(outboxPostgres !== undefined && { postgres: outboxPostgres }),
  };
  return withOutbox(context, options, (opened) => use({ outbox: opened }), '--outbox');
}

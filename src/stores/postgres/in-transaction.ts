import { type AttemptContext, attemptOf } from '../../claims/attempt-handle.ts';
import { ConfigurationError, isError } from '../../base/errors.ts';
import {
  assertFunction,
  type Check,
  checkOptionsOf,
  objectWith,
  oneOf,
} from '../../options/check-options.ts';
import { together } from './attempts-together.ts';
import type { IsolationLevel } from './pool-transactions.ts';
import { CALLER, runnerFor, runUntilCommitted, type TransactionOptions } from './run-until-committed.ts';
import type { TransactionAdapter, TransactionClient } from './transaction-adapter.ts';
import type { Made } from './transaction-run.ts';

/**
 * Options of `inTransaction()`.
 *
 * @typeParam Client What stands for the transaction in `work`.
 */
export interface InTransactionOptions<Client = TransactionClient> {
  /**
   * The transactions of a query builder or an ORM, which then begins and ends them. Its connections have
   * to lead to the database of the store's pool. Default: a connection of that pool.
   */
  readonly adapter?: TransactionAdapter<Client>;
  /**
   * The isolation level; not with an `adapter`, which sets its own. Default: the database's, usually `read
   * committed`.
   */
  readonly isolationLevel?: IsolationLevel;
}

const checks: Readonly<Record<keyof InTransactionOptions, Check>> = {
  adapter: objectWith('transaction', 'query'),
  isolationLevel: oneOf('read committed', 'repeatable read', 'serializable'),
};

/**
 * Runs `work` in a transaction that also completes the claims of these records, of which a batch handler
 * (`forBatches`) has many: what it wrote for them and their completions are there afterwards, or nothing.
 * `work` gets the transaction and the records in it, and returns nothing, or an entry for each:
 * its result, or an `Error` for a record that is not done, for which it must not have written anything. A
 * record whose claim is another attempt's by then is left out, and `work` runs again with the others.
 *
 * Resolves with an entry for each of `items`, to be returned by the handler: what `work` returned for it,
 * or why it is not completed. Else as for one record.
 *
 * @typeParam Item What a batch handler gets for each record.
 * @typeParam Result What `work` gives for a record.
 * @typeParam Client What stands for the transaction.
 * @param items The records, each with the context of its attempt.
 * @param work Writes what the records ask for.
 * @param options Its isolation level, or the ORM that begins it.
 *
 * @example
 * createBatchProcessor.forBatches(async (items) =>
 *   inTransaction(items, async (client, live) => {
 *     const orders = JSON.stringify(live.map(({ record }) => record.body));
 *     await client.query(
 *       'INSERT INTO orders SELECT * FROM json_to_recordset($1) AS o (id text, cents int)',
 *       [orders],
 *     );
 *   }),
 * );
 */
export function inTransaction<
  Item extends {
    /** The context of the record's attempt. */
    readonly context: AttemptContext;
  },
  Result,
  Client = TransactionClient,
>(
  items: readonly Item[],
  work: (client: Client, live: readonly Item[]) => Promise<readonly Result[] | void>,
  options?: InTransactionOptions<Client>,
): Promise<(Result | Error)[]>;
/**
 * Runs `work` in a transaction that also completes the claim of this attempt, on the condition that it is
 * still this attempt's: what it wrote and the completion are there afterwards, or nothing. The record is
 * then completed with what `work` returned, kept as JSON, whatever the handler does next. `work` may run
 * up to six times, each time in a new transaction: after a serialization failure, a deadlock, a lost
 * connection. Once per run of the handler; await it.
 *
 * Rejects with what `work` rejected with: nothing is written, and the handler may try something else,
 * throw, or return without an effect. With a `LeaseLostError` when the claim is another attempt's. With a
 * `StoreError` when the database failed; if it may have been committed all the same, which its row does
 * not tell in time, the record fails, also when the handler goes on. With a `ConfigurationError` where
 * the claim store is no `postgresStore`, or `context` is not the one that the handler was given.
 *
 * In tests of handlers, `memoryStore({ transactionClient })` hands `work` a client of the test.
 *
 * @typeParam Result What `work` resolves with.
 * @typeParam Client What stands for the transaction.
 * @param context The context that the handler was given.
 * @param work Writes what the record asks for.
 * @param options Its isolation level, or the ORM that begins it.
 *
 * @example
 * createBatchProcessor<Order>(
 *   async ({ body }, context) => {
 *     await inTransaction(context, async (client) => {
 *       const values = [body.orderId, body.amountCents];
 *       await client.query('INSERT INTO orders (id, cents) VALUES ($1, $2)', values);
 *     });
 *   },
 *   { store: postgresStore({ pool }) },
 * );
 */
export function inTransaction<Result, Client = TransactionClient>(
  context: AttemptContext | undefined,
  work: (client: Client) => Promise<Result>,
  options?: InTransactionOptions<Client>,
): Promise<Result>;
export async function inTransaction(
  contextOrItems: AttemptContext | readonly ManyItem[] | undefined,
  work: unknown,
  options: object = {},
): Promise<unknown> {
  checkOptionsOf('inTransaction', options, checks);
  assertFunction(`second argument of ${CALLER}`, work);
  return Array.isArray(contextOrItems)
    ? manyInTransaction(contextOrItems as readonly ManyItem[], work as ManyWork, options)
    : oneInTransaction(contextOrItems as AttemptContext | undefined, work as OneWork, options);
}

type ManyItem = { readonly context: AttemptContext };
type OneWork = (client: unknown) => Promise<unknown>;
type ManyWork = (client: unknown, live: readonly unknown[]) => Promise<readonly unknown[] | void>;

async function oneInTransaction(
  context: AttemptContext | undefined,
  work: OneWork,
  options: TransactionOptions,
): Promise<unknown> {
  const attempt = attemptOf(context, CALLER);
  const run = runnerFor(attempt.store, options);
  const [made] = await together([attempt], async (transactions) => {
    const workOfOne = async (client: unknown): Promise<Made[]> => [{ result: await work(client) }];
    const all = await runUntilCommitted(transactions, workOfOne, [attempt], run);
    const [only] = all;
    if (only !== undefined && 'error' in only) throw only.error;
    return all;
  });
  return (made as { readonly result: unknown }).result;
}

async function manyInTransaction(
  items: readonly ManyItem[],
  work: ManyWork,
  options: TransactionOptions,
): Promise<unknown[]> {
  const attempts = items.map(({ context }) => attemptOf(context, CALLER));
  const [first] = attempts;
  if (first === undefined) return [];
  const run = runnerFor(first.store, options);
  const made = await together(attempts, async (transactions) => {
    const workOfSome = async (client: unknown, places: readonly number[]): Promise<Made[]> => {
      const live = places.map((place) => items[place]);
      return madeOf(await work(client, live), live.length);
    };
    const all = await runUntilCommitted(transactions, workOfSome, attempts, run);
    all.forEach((one, place) => {
      // A handler that makes nothing of what this gives back must not have its records completed without
      // their effects.
      if ('error' in one) transactions[place]?.noteNotDone(one.error);
    });
    return all;
  });
  return made.map((one) => ('error' in one ? one.error : one.result));
}

function madeOf(answer: readonly unknown[] | void, count: number): Made[] {
  if (answer === undefined) return Array.from({ length: count }, () => ({ result: undefined }));
  if (!Array.isArray(answer) || answer.length !== count) {
    const given = Array.isArray(answer) ? `an array of ${answer.length}` : `a ${typeof answer}`;
    throw new ConfigurationError(
      `The function of ${CALLER} got ${count} records and returned ${given}; return nothing, or an ` +
        `array with an entry for each record`,
    );
  }
  return answer.map((entry: unknown) => (isError(entry) ? { error: entry } : { result: entry }));
}

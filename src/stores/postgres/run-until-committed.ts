import type { AttemptHandle, AttemptTransaction } from '../../claims/attempt-handle.ts';
import type { ClaimStore } from '../../claims/claim-store.ts';
import { wait } from '../../base/clock.ts';
import { ConfigurationError } from '../../base/errors.ts';
import { transactedRows } from '../../claims/transacted.ts';
import type { ClaimsTable } from './claims-table.ts';
import { type IsolationLevel, poolTransactions } from './pool-transactions.ts';
import type { TransactionAdapter } from './transaction-adapter.ts';
import { type Made, type RunEnd, TransactionRun } from './transaction-run.ts';
import { mayRunAgain } from './transaction-errors.ts';
import type { TransactionEffect } from './transaction-effect.ts';

export const CALLER = 'inTransaction of batchlatch/postgres';

export interface TransactionOptions {
  readonly adapter?: TransactionAdapter<never>;
  readonly isolationLevel?: IsolationLevel;
}

export interface Runner {
  /** Runs the function once: in a transaction, or with the client of a test. */
  readonly run: (
    transactions: readonly AttemptTransaction[],
    work: (client: unknown) => Promise<readonly Made[]>,
  ) => Promise<RunEnd>;
  /** Waits before the next run; the delay grows with the runs that failed. */
  readonly backOff: (failures: number) => Promise<void>;
}

const MOST_RERUNS = 5;
const FIRST_DELAY_MS = 20;
const LONGEST_DELAY_MS = 1_000;

/** Throws a `ConfigurationError` where the store has no transactions of this kind. */
export function runnerFor(store: ClaimStore, { adapter, isolationLevel }: TransactionOptions): Runner {
  const table = transactedRows(store, 'postgres') as ClaimsTable | undefined;
  if (table === undefined) return testRunner(store);
  if (adapter !== undefined && isolationLevel !== undefined) {
    throw new ConfigurationError(
      `Expected \`isolationLevel\` of ${CALLER} only without an \`adapter\`: the adapter's ` +
        `\`transaction\` begins the transaction, and says how`,
    );
  }
  const { pool, clock, random } = table;
  const own = adapter ?? poolTransactions(pool, clock, isolationLevel);
  const setup = { adapter: own as TransactionAdapter<unknown>, table };
  return {
    run: (transactions, work) => new TransactionRun(transactions, work, setup).end(),
    backOff: (failures) => wait(clock, random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures)),
  };
}

function testRunner(store: ClaimStore): Runner {
  const test = transactedRows(store, 'test') as { readonly client: unknown } | undefined;
  if (test === undefined) {
    throw new ConfigurationError(
      `${CALLER} completes claims that are in PostgreSQL: the \`store\` has to be ` +
        `postgresStore({ pool }), or in tests of handlers ` +
        'memoryStore({ transactionClient })',
    );
  }
  return {
    run: (transactions, work) => runForTest(transactions, work, test.client),
    backOff: () => Promise.resolve(),
  };
}

/**
 * Runs the function until it is committed with the completions of all records that can be completed. A
 * run that was rolled back because of concurrent transactions or a lost connection is repeated with
 * backoff, unless the handlers were told to stop.
 */
export async function runUntilCommitted(
  transactions: readonly AttemptTransaction[],
  work: (client: unknown, places: readonly number[]) => Promise<readonly Made[]>,
  attempts: readonly AttemptHandle[],
  { run, backOff }: Runner,
): Promise<readonly Made[]> {
  const all: Made[] = [];
  let places = attempts.map((_, place) => place);
  const isStopped = (): boolean => places.every((place) => attempts[place]?.isStopped === true);
  let failures = 0;
  while (places.length > 0) {
    const end = await run(
      places.map((place) => transactions[place] as AttemptTransaction),
      (client) => work(client, places),
    );
    if (end.status === 'failed') {
      failures += 1;
      if (!end.mayRunAgain || failures > MOST_RERUNS || isStopped()) throw end.error;
      await backOff(failures);
      if (isStopped()) throw end.error;
    } else if (end.status === 'without') {
      for (const [index, error] of end.errors) all[places[index] as number] = { error };
      places = places.filter((_, index) => !end.errors.has(index));
    } else {
      end.made.forEach((made, index) => (all[places[index] as number] = made));
      break;
    }
  }
  return all;
}

/** Runs the function with the client of `memoryStore({ transactionClient })`, without a transaction. */
async function runForTest(
  transactions: readonly AttemptTransaction[],
  work: (client: unknown) => Promise<readonly Made[]>,
  client: unknown,
): Promise<RunEnd> {
  const effect: TransactionEffect = {
    kind: 'postgres',
    content: client,
    write: () => Promise.reject(new Error('A store for tests has no transaction to write in')),
  };
  let made: Made[];
  try {
    made = [...(await work(client))];
  } catch (error) {
    return { status: 'failed', error, mayRunAgain: mayRunAgain(error) };
  }
  let isCompleted = false;
  for (const [place, one] of made.entries()) {
    if ('error' in one) continue;
    try {
      await transactions[place]?.complete(effect, one.result);
      isCompleted = true;
    } catch (error) {
      if (!isCompleted && mayRunAgain(error)) return { status: 'failed', error, mayRunAgain: true };
      made[place] = { error: error as Error };
    }
  }
  return { status: 'done', made };
}

import type { AttemptTransaction } from '../../claims/attempt-handle.ts';
import { mayRunAgain } from './transaction-errors.ts';
import type { TransactionEffect } from './transaction-effect.ts';
import type { Made, RunEnd } from './transaction-run.ts';

/** `memoryStore({ transactionClient })`. */
export interface TestTransactions {
  readonly client: unknown;
}

/** One run of the function with the client of a test, in no transaction at all. */
export async function runForTest(
  transactions: readonly AttemptTransaction[],
  work: (client: unknown) => Promise<readonly Made[]>,
  { client }: TestTransactions,
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

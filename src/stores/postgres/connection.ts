import { type CallBound, stoppableCall } from '../../base/bounded.ts';
import type { StoreError } from '../../base/errors.ts';
import { POSTGRES_CONNECTION_MS } from '../../base/limits.ts';
import type { StopSignal } from '../../base/stop.ts';
import { storeSilent } from '../../claims/store-errors.ts';
import { leavesConnection } from './failures.ts';
import type { PostgresClient, PostgresPool } from './pool.ts';

/** A connection of a pool. Give it back once; a broken one is closed. */
export interface Borrowed<Client> {
  readonly client: Client;
  giveBack(isBroken: boolean): void;
}

/**
 * Waits for a connection of the pool. If the connection is lost while lent, it is given back at once: its
 * borrower may never send a statement that would fail.
 */
export async function borrow<Client extends PostgresClient>(
  pool: PostgresPool<Client>,
  bound: CallBound,
): Promise<Borrowed<Client>> {
  const client = await stoppableCall(
    () => pool.connect(),
    bound,
    (late) => late.release(),
  );
  let isGivenBack = false;
  const giveBack = (isBroken: boolean): void => {
    if (isGivenBack) return;
    isGivenBack = true;
    if (!isBroken) client.off?.('error', onLoss); // a closed connection may still emit its error
    client.release(isBroken);
  };
  const onLoss = (): void => giveBack(true);
  client.on?.('error', onLoss);
  return { client, giveBack };
}

/**
 * Uses a connection of the pool, and always gives it back. The connection is closed unless the database has
 * answered to the end within `limitMs`. Once `signal` is aborted, the call no
 * longer waits for a connection; statements already sent are answered.
 */
export async function onConnection<Client extends PostgresClient, Result>(
  pool: PostgresPool<Client>,
  body: (client: Client) => Promise<Result>,
  { clock, limitMs, signal }: Omit<CallBound, 'errorOf'>,
): Promise<Result> {
  const lending = { clock, signal, limitMs: POSTGRES_CONNECTION_MS, errorOf: noConnection };
  const { client, giveBack } = await borrow(pool, lending);
  const use = async (stop: StopSignal): Promise<Result> => {
    stop.addEventListener('abort', () => giveBack(true));
    try {
      const result = await body(client);
      giveBack(false);
      return result;
    } catch (thrown) {
      giveBack(!leavesConnection(thrown));
      throw thrown;
    }
  };
  return stoppableCall(use, { clock, limitMs, errorOf: () => silent(limitMs) });
}

function noConnection(why: 'silent' | 'given-up'): StoreError {
  return storeSilent(
    why === 'silent'
      ? `The pool lent no connection to PostgreSQL within ${POSTGRES_CONNECTION_MS / 1_000} seconds: ` +
          `all of its connections are in use (raise its \`max\`), or the server does not answer`
      : 'The pool had lent no connection to PostgreSQL when the invocation had to answer',
  );
}

export function silent(limitMs: number): StoreError {
  return storeSilent(
    `PostgreSQL did not answer within ${limitMs / 1_000} seconds: look for locks and for its load`,
  );
}

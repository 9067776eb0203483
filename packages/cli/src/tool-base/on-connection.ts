import type { PostgresClient, PostgresPool, SqlConnection } from 'batchlatch/postgres';

/**
 * Runs `body` with a connection of the pool, and then releases it. Closes the connection if `body` rejects or
 * does not settle within `limitMs`, and rejects with that error.
 */
export async function onConnection<Result>(
  pool: PostgresPool,
  body: (connection: SqlConnection) => Promise<Result>,
  limitMs: number,
): Promise<Result> {
  const client = await pool.connect();
  let isGivenBack = false;
  const giveBack = (isBroken: boolean): void => {
    if (isGivenBack) return;
    isGivenBack = true;
    client.release(isBroken);
  };
  // Without a listener, a connection that is lost ends the process.
  const onLoss = (): void => giveBack(true);
  client.on?.('error', onLoss);
  try {
    const result = await within(limitMs, body(client));
    stopListening(client, onLoss);
    giveBack(false);
    return result;
  } catch (error) {
    giveBack(true);
    throw error;
  }
}

/** Call it only for a connection that stays open: a closed one may still emit an error. */
function stopListening(client: PostgresClient, listener: () => void): void {
  client.off?.('error', listener);
}

async function within<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`PostgreSQL did not answer within ${limitMs / 1_000} seconds`);
      reject(Object.assign(error, { code: 'BATCHLATCH_STORE_SILENT' }));
    }, limitMs);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}

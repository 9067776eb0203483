/**
 * A function for processes of tests: each record is an effect in PostgreSQL, written with the completion of its claim. It ends its own process at a
 * moment that the environment names: `effect` (done, not committed), `commit` (the COMMIT is sent), `committed` (it is answered).
 */
import { createBatchProcessor, payloadHash } from 'batchlatch';
import { inTransaction, type PostgresPool, postgresStore, type SqlStatement } from 'batchlatch/postgres';
import { poolOf } from './postgres-table.ts';

const { POSTGRES_URL = '', CLAIMS_TABLE = '', EFFECTS_TABLE = '', DIES_AT } = process.env;

const die = (): void => void process.kill(process.pid, 'SIGKILL');

const pool = poolOf(POSTGRES_URL);
const dyingPool: PostgresPool = {
  async connect() {
    const client = await pool.connect();
    return {
      async query(given: SqlStatement | string, values?: unknown[]) {
        const answering = client.query(given as string, values);
        // What is written to a socket is on its way a moment later.
        if (typeof given === 'object' && given.text === 'COMMIT' && DIES_AT === 'commit') setTimeout(die, 2);
        return answering;
      },
      release: (isBroken?: boolean) => client.release(isBroken),
    };
  },
};

export const handler = createBatchProcessor<{ id: string }>(
  async ({ body }, context) => {
    await inTransaction(context, async (client) => {
      await client.query(`INSERT INTO ${EFFECTS_TABLE} (id) VALUES ($1)`, [body.id]);
      if (DIES_AT === 'effect') die();
    });
    if (DIES_AT === 'committed') die();
  },
  {
    store: postgresStore({ pool: dyingPool, table: CLAIMS_TABLE }),
    namespace: 'n',
    key: payloadHash({ include: ['id'] }),
  },
);

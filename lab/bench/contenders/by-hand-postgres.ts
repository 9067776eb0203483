import type { SQSRecord } from 'aws-lambda';
import type { Order } from '../workload.ts';
import type { MakeBatchHandler } from './contender.ts';
import { postgresName, sharedPool } from './postgres-pool.ts';

/**
 * The loop that people write on PostgreSQL, written with care: a claim that two processes cannot both get, which can be
 * taken over when its time is over, and statements that are prepared once for each connection.
 */
export const byHandPostgres: MakeBatchHandler = async ({ endpoint, tableName, handler }) => {
  const pool = sharedPool(endpoint);
  const table = postgresName(tableName);
  await pool.query(`CREATE TABLE IF NOT EXISTS ${table} (
    key text PRIMARY KEY,
    status text NOT NULL,
    locked_until timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now()
  )`);

  const claim = {
    name: `${table}_claim`,
    text: `INSERT INTO ${table} AS c (key, status, locked_until)
      VALUES ($1, 'IN_PROGRESS', now() + interval '1 minute')
      ON CONFLICT (key) DO UPDATE SET locked_until = excluded.locked_until, updated_at = now()
      WHERE c.status = 'IN_PROGRESS' AND c.locked_until < now()`,
  };
  const find = { name: `${table}_find`, text: `SELECT status FROM ${table} WHERE key = $1` };
  const complete = {
    name: `${table}_complete`,
    text: `UPDATE ${table} SET status = 'COMPLETED', locked_until = NULL, updated_at = now() WHERE key = $1`,
  };
  const giveBack = { name: `${table}_give_back`, text: `DELETE FROM ${table} WHERE key = $1` };

  /** Whether the record is to be run; throws while another runs it, so that it comes again. */
  async function isNew(values: [string]): Promise<boolean> {
    const { rowCount } = await pool.query({ ...claim, values });
    if (rowCount === 1) return true;
    const { rows } = await pool.query<{ status: string }>({ ...find, values });
    if (rows[0]?.status === 'COMPLETED') return false;
    throw new Error('The message is being processed');
  }

  async function run({ messageId, body }: SQSRecord): Promise<void> {
    const values: [string] = [`orders#${messageId}`];
    if (!(await isNew(values))) return;
    try {
      await handler(JSON.parse(body) as Order);
    } catch (error) {
      await pool.query({ ...giveBack, values });
      throw error;
    }
    await pool.query({ ...complete, values });
  }

  return async ({ Records }) => {
    const results = await Promise.allSettled(Records.map(run));
    const failed = Records.filter((_, index) => results[index]?.status === 'rejected');
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
};

import type { SQSRecord } from 'aws-lambda';
import type { Order } from '../workload.ts';
import type { ContenderSetup, MakeBatchHandler } from './contender.ts';
import { postgresName, sharedPool } from './postgres-pool.ts';
import { sharedNodeRedis } from './redis-client.ts';

/** What is sent for a batch, and nothing else. */
interface BareStore {
  /** Claims what has no claim, and gives the keys of it. */
  claim(keys: string[]): Promise<readonly string[]>;
  complete(keys: string[]): Promise<unknown>;
  giveBack(keys: string[]): Promise<unknown>;
}

/** Two bare statements for a batch, prepared once for each connection: no owner, no take-over, no row of what was refused. */
export const floorPostgres: MakeBatchHandler = async (setup) => {
  const pool = sharedPool(setup.endpoint);
  const table = postgresName(setup.tableName);
  await pool.query(
    `CREATE TABLE IF NOT EXISTS ${table} (key text PRIMARY KEY, status text NOT NULL, locked_until timestamptz)`,
  );
  const claim = {
    name: `${table}_claim`,
    text: `INSERT INTO ${table} (key, status, locked_until)
      SELECT key, 'IN_PROGRESS', now() + interval '1 minute' FROM unnest($1::text[]) AS key
      ON CONFLICT (key) DO NOTHING RETURNING key`,
  };
  const complete = {
    name: `${table}_complete`,
    // Of an array of any length the planner would rather read the whole table.
    text: `UPDATE ${table} AS c SET status = 'COMPLETED', locked_until = NULL
      FROM unnest($1::text[]) AS k (key) WHERE c.key = k.key`,
  };
  const giveBack = {
    name: `${table}_give_back`,
    text: `DELETE FROM ${table} AS c USING unnest($1::text[]) AS k (key) WHERE c.key = k.key`,
  };
  return bare(setup, {
    async claim(keys) {
      const { rows } = await pool.query<{ key: string }>({ ...claim, values: [keys] });
      return rows.map(({ key }) => key);
    },
    complete: (keys) => pool.query({ ...complete, values: [keys] }),
    giveBack: (keys) => pool.query({ ...giveBack, values: [keys] }),
  });
};

const CLAIM_SCRIPT = `
local claimed = {}
for _, key in ipairs(KEYS) do
  if redis.call('SET', key, 'IN_PROGRESS', 'NX', 'PX', 60000) then claimed[#claimed + 1] = key end
end
return claimed`;

/** Two bare commands for a batch. */
export const floorRedis: MakeBatchHandler = async (setup) => {
  const client = await sharedNodeRedis(setup.endpoint);
  const sha = await client.scriptLoad(CLAIM_SCRIPT);
  return bare(setup, {
    claim: async (keys) => (await client.evalSha(sha, { keys })) as string[],
    complete: (keys) => client.mSet(keys.flatMap((key) => [key, 'COMPLETED'])),
    giveBack: (keys) => client.del(keys),
  });
};

function bare(
  { tableName, handler }: ContenderSetup,
  store: BareStore,
): Awaited<ReturnType<MakeBatchHandler>> {
  return async ({ Records }) => {
    const keyOf = ({ messageId }: SQSRecord): string => `${tableName}#${messageId}`;
    const claimed = new Set(await store.claim(Records.map(keyOf)));
    const failed: SQSRecord[] = [];
    const run = async (record: SQSRecord): Promise<void> => {
      try {
        await handler(JSON.parse(record.body) as Order);
      } catch {
        failed.push(record);
      }
    };
    await Promise.all(Records.filter((record) => claimed.has(keyOf(record))).map(run));
    const failedKeys = failed.map(keyOf);
    for (const key of failedKeys) claimed.delete(key);
    await Promise.all([
      claimed.size > 0 && store.complete([...claimed]),
      failedKeys.length > 0 && store.giveBack(failedKeys),
    ]);
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

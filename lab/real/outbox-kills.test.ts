import { fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { createOutboxRelay, outboxTableSql } from 'batchlatch/outbox';
import { inTransaction, postgresStore } from 'batchlatch/postgres';
import { createSender } from 'batchlatch/sender';
import pLimit from 'p-limit';
import type { Pool } from 'pg';
import type { SqsMapping } from '../../packages/cli/src/dev/mappings/sqs-mapping.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { type EmulatedQueue, emulatedQueues } from '../../test/support/emulated-queues.ts';
import type { KilledOutboxSetup, MomentOfDeath, Step } from '../../test/support/killed-outbox.ts';
import { pollQueue } from '../../test/support/poll-queue.ts';
import { createPostgresTable, poolOf } from '../../test/support/postgres-table.ts';
import { shop } from '../../test/support/outbox-bench.ts';
import { until } from '../../test/support/until.ts';
import { bundleProgram } from './support/bundle-program.ts';

/** One at each step and moment. `OUTBOX_KILLS=200 npm run lab:real -- outbox-kills` for more. */
const KILLS = Number(process.env['OUTBOX_KILLS'] ?? 42);
/** Processes at a time, whose relays work on the same rows. */
const AT_ONCE = 3;
/** Each step of a transaction and of a round, and which of them: the first four transactions are its own. */
const STEPS: readonly (readonly [what: Step, number: number])[] = [
  ['begin', 1],
  ['order', 2],
  ['add', 1],
  ['add', 4],
  ['commit', 2],
  ['roll back', 1],
  ['find', 1],
  ['begin', 5],
  ['lock', 1],
  ['read', 1],
  ['send', 1],
  ['send', 2],
  ['settle', 1],
  ['commit', 4],
];
const MOMENTS: readonly MomentOfDeath[] = ['before', 'between', 'after'];
const TABLE = 'outbox';

describeWith([postgres], 'processes that add to an outbox in PostgreSQL and relay it', () => {
  const queues = emulatedQueues();
  let server: PostgresServer;
  let pool: Pool;
  let queue: EmulatedQueue;
  let program: string;
  beforeAll(async () => {
    [server, queue, program] = await Promise.all([
      startPostgres(),
      queues.create(),
      bundleProgram('killed-outbox'),
    ]);
    pool = poolOf(server.endpoint, { max: 20 });
    await pool.query(outboxTableSql({ table: TABLE }));
    await pool.query('CREATE TABLE orders (id text PRIMARY KEY)');
    await pool.query('CREATE TABLE effects (id text, outbox_id text)');
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  it(
    `have one effect for each committed message, though they are killed ${KILLS} times before, between and after their writes and sends`,
    async () => {
      const consumer = await startConsumer();
      try {
        const limit = pLimit(AT_ONCE);
        await Promise.all(
          Array.from({ length: KILLS }, (_, life) =>
            limit(() =>
              runUntilKilled({
                database: server.endpoint,
                table: TABLE,
                queueUrl: queue.queueUrl,
                name: `life-${life}`,
                ...deathOf(life),
              }),
            ),
          ),
        );
        // The last relay lives.
        const sender = createSender(shop, { queueUrl: queue.queueUrl, client: queues.sqs });
        const relay = createOutboxRelay({ pool, table: TABLE, sender, pollMs: 20 });
        await relay.start();
        await until('all are sent', async () => (await count(TABLE)) === 0);
        await relay.stop();
        await until('all are done', async () => (await count('effects')) >= (await count('orders')));
        await until('the queue is empty', async () => (await queuedMessages()) === 0);
      } finally {
        await consumer.stop();
      }

      const { rows: wrong } = await pool.query(`
        SELECT coalesce(o.id, e.id) AS id, count(e.id) AS effects, count(o.id) AS orders
        FROM orders AS o FULL JOIN effects AS e ON o.id = e.id
        GROUP BY 1 HAVING count(e.id) <> 1 OR count(o.id) <> 1`);
      expect(wrong).toEqual([]);
      const copies = consumer.delivered - (await count('effects'));
      process.stderr.write(`${await count('orders')} messages, ${copies} second copies\n`);
      // Sends whose rows were not deleted were among the kills.
      expect(copies).toBeGreaterThan(0);
    },
    INSTALL_TIMEOUT_MS,
  );

  async function startConsumer(): Promise<SqsMapping> {
    const store = postgresStore({ pool, table: await createPostgresTable(pool) });
    const handler = createBatchProcessor<{ readonly id: string }>(
      async ({ body, attributes }, context) => {
        await inTransaction(context, (client) =>
          client.query('INSERT INTO effects VALUES ($1, $2)', [body.id, attributes['outboxId']]),
        );
      },
      { store, key: ({ attributes }) => attributes['outboxId'] ?? '', concurrency: 5 },
    );
    return pollQueue({ ...queue, sqs: queues.sqs, handler });
  }

  async function count(table: string): Promise<number> {
    const { rows } = await pool.query(`SELECT count(*)::int AS count FROM ${table}`);
    return (rows[0] as { readonly count: number }).count;
  }

  async function queuedMessages(): Promise<number> {
    const { Attributes = {} } = await queues.sqs.getQueueAttributes({
      QueueUrl: queue.queueUrl,
      AttributeNames: ['All'],
    });
    const { ApproximateNumberOfMessages: shown, ApproximateNumberOfMessagesNotVisible: hidden } = Attributes;
    return Number(shown) + Number(hidden);
  }

  /** Rejects if the process ends otherwise than at its step. */
  async function runUntilKilled(setup: KilledOutboxSetup): Promise<void> {
    const child = fork(program, [JSON.stringify(setup)], {
      execArgv: [],
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    let told = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (told += text));
    const [, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (signal !== 'SIGKILL' || told !== 'killed\n') {
      throw new Error(`A process did not end at its step (${signal}): ${told}`);
    }
  }
});

function deathOf(life: number): Pick<KilledOutboxSetup, 'what' | 'number' | 'moment'> {
  const moment = MOMENTS[life % MOMENTS.length] as MomentOfDeath;
  const [what, number] = STEPS[Math.floor(life / MOMENTS.length) % STEPS.length] as (typeof STEPS)[number];
  return { what, number, moment };
}

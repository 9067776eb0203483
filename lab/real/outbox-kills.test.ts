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
import { laterClock } from '../../test/support/later-clock.ts';
import { pollQueue } from '../../test/support/poll-queue.ts';
import { createPostgresTable, poolOf } from '../../test/support/postgres-table.ts';
import { shop } from '../../test/support/outbox-bench.ts';
import { until } from '../../test/support/until.ts';
import { bundleProgram } from './support/bundle-program.ts';

/** Two at each step and moment: the least that reaches all. `OUTBOX_KILLS=200 npm run lab:real -- outbox-kills` for more. */
const KILLS = Number(process.env['OUTBOX_KILLS'] ?? 84);
/** Processes at a time, whose relays work on the same rows. */
const AT_ONCE = 3;
type Place = readonly [what: Step, number: number];
/** Each step of the transactions, before the relay starts, and which of them. */
const TRANSACTION: readonly Place[] = [
  ['begin', 1],
  ['order', 2],
  ['add', 1],
  ['add', 4],
  ['commit', 2],
  ['roll back', 1],
];
/** Each step of a round; the first four transactions of a process are its own. */
const ROUND: readonly Place[] = [
  ['find', 1],
  ['begin', 5],
  ['lock', 1],
  ['read', 1],
  ['send', 1],
  ['send', 2],
  ['settle', 1],
  ['commit', 4],
];
const ALL: readonly Place[] = [...TRANSACTION, ...ROUND];
/** Half of the kills are while relays run, the others while they are off, and when they run again. */
const RUNNING = Math.ceil(KILLS / 2);
const OFF = Math.round(((KILLS - RUNNING) * TRANSACTION.length) / ALL.length);
const MOMENTS: readonly MomentOfDeath[] = ['before', 'between', 'after'];
const TABLE = 'outbox';
const DAYS = 2;
const LATER_MS = DAYS * 24 * 3_600_000;

describeWith([postgres], 'processes that add to an outbox in PostgreSQL and relay it', () => {
  const queues = emulatedQueues();
  let server: PostgresServer;
  let pool: Pool;
  let queue: EmulatedQueue;
  let program: string;
  let claims: string;
  let kills = 0;
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
    claims = await createPostgresTable(pool);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  it(
    `have one effect for each committed message after ${KILLS} kills before, between and after their writes and sends, some of them with relays that were off for two days`,
    async () => {
      const startedAt = performance.now();
      const consumer = await startConsumer();
      try {
        await kill(RUNNING - 1, 'running', ALL);
        // Its rows are sent and not deleted, and stay so while the relays are off.
        await kill(1, 'last', [['send', 1]], 'after');
        await kill(OFF, 'off', TRANSACTION);
        await until('the consumer has what was sent', async () => (await queuedMessages()) === 0);
      } finally {
        await consumer.stop();
      }

      await setClockAhead();
      const sentBefore = await count(`${TABLE} AS o JOIN effects AS e USING (outbox_id)`);
      expect(sentBefore).toBeGreaterThan(0);
      const waiting = await count(TABLE);
      expect(waiting).toBeGreaterThan(sentBefore);
      expect(await count(`${TABLE} WHERE created_at < clock_timestamp() - interval '${DAYS} days'`)).toBe(
        waiting,
      );

      const consumerLater = await startConsumer();
      try {
        await kill(KILLS - RUNNING - OFF, 'later', ROUND);
        // The last relay lives.
        const sender = createSender(shop, { queueUrl: queue.queueUrl, client: queues.sqs });
        const clock = laterClock(LATER_MS);
        const relay = createOutboxRelay({ pool, table: TABLE, sender, clock, pollMs: 20 });
        await relay.start();
        await until('all are sent', async () => (await count(TABLE)) === 0);
        await relay.stop();
        await until('all are done', async () => (await count('effects')) >= (await count('orders')));
        await until('the queue is empty', async () => (await queuedMessages()) === 0);
      } finally {
        await consumerLater.stop();
      }

      const { rows: wrong } = await pool.query(`
        SELECT coalesce(o.id, e.id) AS id, count(e.id) AS effects, count(o.id) AS orders
        FROM orders AS o FULL JOIN effects AS e ON o.id = e.id
        GROUP BY 1 HAVING count(e.id) <> 1 OR count(o.id) <> 1`);
      expect(wrong).toEqual([]);
      expect(kills).toBe(KILLS);
      const copies = consumer.delivered + consumerLater.delivered - (await count('effects'));
      expect(copies).toBeGreaterThanOrEqual(sentBefore);
      process.stderr.write(
        `${kills} kills, ${await count('orders')} messages, ${waiting} of them waited for ${DAYS} days, ` +
          `${copies} second copies, ${sentBefore} of them after these days, ` +
          `${((performance.now() - startedAt) / 1_000).toFixed(0)} s\n`,
      );
    },
    INSTALL_TIMEOUT_MS,
  );

  /** Runs processes that add messages and relay them, until each is killed at one of the places. */
  async function kill(
    lives: number,
    name: string,
    places: readonly Place[],
    always?: MomentOfDeath,
  ): Promise<void> {
    const limit = pLimit(AT_ONCE);
    await Promise.all(
      Array.from({ length: lives }, (_, life) => {
        const moment = always ?? MOMENTS[life % MOMENTS.length] ?? 'before';
        const [what, number] = places[Math.floor(life / MOMENTS.length) % places.length] as Place;
        const laterMs = name === 'later' ? LATER_MS : 0;
        const place = { database: server.endpoint, table: TABLE, queueUrl: queue.queueUrl };
        return limit(() =>
          runUntilKilled({ ...place, name: `${name}-${life}`, what, number, moment, laterMs }),
        );
      }),
    );
  }

  /** Sets the database's clock ahead, for connections that are opened from now on. */
  async function setClockAhead(): Promise<void> {
    const functions = ['now', 'clock_timestamp', 'statement_timestamp'].map(
      (name) => `CREATE FUNCTION later.${name}() RETURNS timestamptz STABLE LANGUAGE sql
        AS $$ SELECT pg_catalog.${name}() + interval '${DAYS} days' $$;`,
    );
    await pool.query(`CREATE SCHEMA later; ${functions.join('')}
      ALTER DATABASE postgres SET search_path = later, pg_catalog, public`);
    await pool.end();
    pool = poolOf(server.endpoint, { max: 20 });
    await pool.query(`ALTER TABLE ${TABLE} ALTER created_at SET DEFAULT now()`);
  }

  async function startConsumer(): Promise<SqsMapping> {
    const handler = createBatchProcessor<{ readonly id: string }>(
      async ({ body, attributes }, context) => {
        await inTransaction(context, (client) =>
          client.query('INSERT INTO effects VALUES ($1, $2)', [body.id, attributes['outboxId']]),
        );
      },
      {
        store: postgresStore({ pool, table: claims }),
        key: ({ attributes }) => attributes['outboxId'] ?? '',
        concurrency: 5,
      },
    );
    return pollQueue({ ...queue, sqs: queues.sqs, handler });
  }

  async function count(from: string): Promise<number> {
    const { rows } = await pool.query(`SELECT count(*)::int AS count FROM ${from}`);
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
    kills += 1;
  }
});

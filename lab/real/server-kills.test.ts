import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClaimStore } from 'batchlatch';
import { postgresStore } from 'batchlatch/postgres';
import { redisStore } from 'batchlatch/redis';
import { Redis } from 'ioredis';
import { createClaimsTable, emulatorClient } from '../../test/support/claims-table.ts';
import { closeRedis } from '../../test/support/close-redis.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { dynamoDBLocal, startDynamoDBOnDisk } from '../../test/support/components/dynamodb-local.ts';
import { postgres, startPostgres } from '../../test/support/components/postgres.ts';
import { redis, startRedis } from '../../test/support/components/redis.ts';
import { createPostgresTable, poolOf } from '../../test/support/postgres-table.ts';
import { storeBy } from '../../test/support/transports.ts';
import { runsWithinALease } from './support/disturbed-job.ts';
import { startSteadyWork, type SteadyWork } from './support/steady-work.ts';
import { until } from './support/until.ts';

/** A server that is killed, and the claims on it. */
interface Killed {
  readonly store: ClaimStore;
  /** `kill -9`, and a start with what is on its disk. */
  killAndStart(): Promise<void>;
  stop(): Promise<unknown>;
}

const KILLS = 3;
const RUNS_BETWEEN = 30;
const INVOCATION_MS = 3_000;
const LEASE_MS = 2_000;
const WORK_MS = 20;

const DURABLE = {
  'DynamoDB Local, on disk': onDynamoDB,
  PostgreSQL: onPostgres,
  'Redis, with its append-only file always synced': () =>
    onRedis(['--appendonly', 'yes', '--appendfsync', 'always']),
} as const;

// All of them at the same time: most of it is spent waiting for servers to start.
describeWith(
  [dynamoDBLocal, postgres, redis],
  `a server that is killed ${KILLS} times in the middle of work`,
  () => {
    const servers = new Map<string, Killed>();
    const works = new Map<string, SteadyWork>();
    let runAgain: Map<string, readonly string[]>;

    beforeAll(async () => {
      const started = await Promise.all(
        Object.entries({ ...DURABLE, 'Redis, in memory': () => onRedis([]) }).map(
          async ([name, start]) => [name, await start()] as const,
        ),
      );
      for (const [name, server] of started) servers.set(name, server);
      const drilled = await Promise.all(
        started.map(async ([name, server]) => {
          const work = workOn(server);
          works.set(name, work);
          await drill(server, work);
          return [name, await work.deliverAgain()] as const;
        }),
      );
      runAgain = new Map(drilled);
    }, INSTALL_TIMEOUT_MS);
    afterAll(async () => {
      for (const work of works.values()) await work.stop();
      for (const server of servers.values()) await server.stop();
    });

    describe.each(Object.keys(DURABLE))('%s', (name) => {
      it('loses no message, and no completion of one that was acknowledged', () => {
        const { ids, acknowledged, acknowledgedUnstored, runs } = works.get(name) as SteadyWork;
        expect(runs.length).toBeGreaterThan(KILLS * RUNS_BETWEEN);
        expect([...new Set(acknowledged)].toSorted()).toEqual(ids.toSorted());
        expect(acknowledgedUnstored).toEqual([]);
      });

      it('has nothing run again that is completed, and nothing twice within a lease', () => {
        const { runs } = works.get(name) as SteadyWork;
        expect(runAgain.get(name)).toEqual([]);
        expect(runsWithinALease(runs)).toEqual([]);
        // Attempts only grow while the row lives: two runs with one number would be a row that was lost in between.
        expect(new Set(runs.map(({ key, attempt }) => `${key} ${attempt}`)).size).toBe(runs.length);
      });
    });

    it('Redis in memory forgets what was completed, and this drill sees it', () => {
      expect(runAgain.get('Redis, in memory')?.length).toBeGreaterThan(RUNS_BETWEEN);
    });
  },
);

function workOn({ store }: Killed): SteadyWork {
  const direct: ClaimStore = { ...store, inspect: (key) => patiently(() => store.inspect(key)) };
  return startSteadyWork({
    store,
    direct,
    invocationMs: INVOCATION_MS,
    leaseMs: LEASE_MS,
    effect: () => delay(WORK_MS),
  });
}

async function drill(server: Killed, work: SteadyWork): Promise<void> {
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const before = work.runs.length;
    await until('work goes on', () => work.runs.length >= before + RUNS_BETWEEN);
    await server.killAndStart();
  }
  const before = work.runs.length;
  await until('work goes on', () => work.runs.length >= before + RUNS_BETWEEN);
  await work.finish();
}

/** A server that is just being started answers a little later. */
async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  let answer: { readonly is: Answer } | undefined;
  await until('the server answers', async () => {
    answer = await ask().then(
      (is) => ({ is }),
      () => undefined,
    );
    return answer !== undefined;
  });
  return (answer as unknown as { readonly is: Answer }).is;
}

async function onDynamoDB(): Promise<Killed> {
  const server = await startDynamoDBOnDisk();
  const client = emulatorClient(server.endpoint);
  const tableName = await createClaimsTable(client);
  client.destroy();
  const store = storeBy('direct', server.endpoint, { tableName });
  await store.inspect('to choose its transport');
  return {
    store,
    async killAndStart() {
      await server.kill();
      await server.startAgain();
    },
    stop: () => server.stop(),
  };
}

async function onPostgres(): Promise<Killed> {
  const server = await startPostgres();
  const pool = poolOf(server.endpoint);
  const table = await createPostgresTable(pool);
  return {
    store: postgresStore({ pool, table }),
    async killAndStart() {
      await server.crash();
      await server.startAgain();
    },
    async stop() {
      await pool.end();
      await server.stop();
    },
  };
}

async function onRedis(settings: readonly string[]): Promise<Killed> {
  const server = await startRedis({ settings });
  const client = new Redis(server.endpoint, { maxRetriesPerRequest: 2 });
  client.on('error', () => undefined);
  return {
    store: redisStore({ client, prefix: `${randomUUID()}:` }),
    async killAndStart() {
      await server.kill();
      await server.restart();
    },
    async stop() {
      await closeRedis(client);
      await server.stop();
    },
  };
}

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClaimStore, RecordContext } from 'batchlatch';
import { inTransaction, postgresStore } from 'batchlatch/postgres';
import { redisStore } from 'batchlatch/redis';
import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { createClient } from 'redis';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { closeRedis } from '../../test/support/close-redis.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { pgbouncer, startPgBouncer } from '../../test/support/components/pgbouncer.ts';
import { postgres, startPostgres } from '../../test/support/components/postgres.ts';
import { redis, startRedis } from '../../test/support/components/redis.ts';
import type { Proxy } from '../../test/support/components/toxiproxy-client.ts';
import { startToxiproxy, toxiproxy } from '../../test/support/components/toxiproxy.ts';
import { createPostgresTable, poolOf } from '../../test/support/postgres-table.ts';
import { runsWithinALease } from './support/disturbed-job.ts';
import { startSteadyWork, type SteadyWork } from './support/steady-work.ts';
import { until } from './support/until.ts';

/** Between a charge and the end of its handler, so that the outage begins for some of them in between. */
const AFTERWARDS_MS = 400;
const INVOCATION_MS = 3_000;
const REFUSED_MS = 15_000;
const SILENT_MS = 15_000;

/** A store behind a way that is cut, and charges whose number can be counted. */
interface Way {
  readonly store: ClaimStore;
  /** The same claims by a way that is not disturbed. */
  readonly direct: ClaimStore;
  charge(id: string, context: RecordContext): Promise<unknown>;
  /** An entry for each charge. */
  charged(): Promise<readonly string[]>;
}

const WAYS = [
  'PostgreSQL',
  'PostgreSQL behind PgBouncer',
  'Redis with ioredis',
  'Redis with node-redis',
] as const;
type WayName = (typeof WAYS)[number];

// The same outage for all of them, at the same time: most of it is spent waiting.
describeWith(
  [postgres, pgbouncer, redis, toxiproxy],
  'half a minute without the server, refused and then silent',
  () => {
    const opened: (() => unknown)[] = [];
    const proxies: Proxy[] = [];
    const ways = new Map<WayName, Way>();
    const jobs = new Map<WayName, SteadyWork>();
    const outage = { from: 0, until: 0 };

    beforeAll(async () => {
      await openWays();
      for (const [name, { store, direct, charge }] of ways) {
        jobs.set(
          name,
          startSteadyWork({ store, direct, invocationMs: INVOCATION_MS, workers: 4, effect: charge }),
        );
      }
      await untilEachHasRun(50);
      await until('each store has records that were charged just now', () =>
        [...jobs.values()].every(({ starts }) => isBetween(starts.at(-1) ?? 0, 50, AFTERWARDS_MS / 2)),
      );
      outage.from = Date.now();
      await Promise.all(proxies.map((proxy) => proxy.disable()));
      await delay(REFUSED_MS);
      await Promise.all(
        proxies.map(async (proxy) => {
          await proxy.addToxic({ type: 'timeout', attributes: { timeout: 0 } });
          await proxy.enable();
        }),
      );
      await delay(SILENT_MS);
      outage.until = Date.now();
      await Promise.all(proxies.map((proxy) => proxy.reset()));
      await untilEachHasRun(50, outage.until);
      await Promise.all([...jobs.values()].map((job) => job.finish()));
    }, INSTALL_TIMEOUT_MS);
    afterAll(async () => {
      for (const close of opened.toReversed()) await close();
    });

    describe.each(WAYS)('%s', (name) => {
      it('has every batch come again that is delivered meanwhile, and starts none of its records', () => {
        const { deliveries, starts } = jobs.get(name) as SteadyWork;
        const within = deliveries.filter(
          ({ startedAt, endedAt }) => isWithin(startedAt) && isWithin(endedAt),
        );
        expect(within.length).toBeGreaterThan(8);
        expect(within.filter(({ failed, records }) => failed !== records)).toEqual([]);
        expect(starts.filter(isWithin)).toEqual([]);
        // A busy machine may be late.
        const longest = Math.max(...within.map(({ startedAt, endedAt }) => endedAt - startedAt));
        expect(longest).toBeLessThan(2 * INVOCATION_MS);
      });

      it('has each message charged once, before, during and after it, and loses none', async () => {
        const { ids, acknowledged, acknowledgedUnstored, runs, starts } = jobs.get(name) as SteadyWork;
        expect((await ways.get(name)?.charged())?.toSorted()).toEqual(ids.toSorted());
        // The outage met some between their charge and their completion.
        expect(starts.some((time) => time < outage.from && time > outage.from - AFTERWARDS_MS)).toBe(true);
        expect(acknowledged.toSorted()).toEqual(ids.toSorted());
        expect(acknowledgedUnstored).toEqual([]);
        expect(runsWithinALease(runs)).toEqual([]);
      });
    });

    /** In the outage, but for the moment in which it begins. */
    function isWithin(time: number): boolean {
      return time > outage.from + 1_000 && time < outage.until;
    }

    function isBetween(time: number, leastMs: number, mostMs: number): boolean {
      const ago = Date.now() - time;
      return ago >= leastMs && ago <= mostMs;
    }

    async function untilEachHasRun(count: number, since = 0): Promise<void> {
      await until(`each store has done ${count} messages`, () =>
        [...jobs.values()].every(
          ({ runs }) => runs.filter(({ startedAt }) => startedAt > since).length >= count,
        ),
      );
    }

    async function openWays(): Promise<void> {
      const faults = await starting(startToxiproxy());
      async function proxyTo(service: LocalService): Promise<string> {
        const proxy = await faults.createProxy({ upstream: service.endpoint });
        proxies.push(proxy);
        return new URL(proxy.endpoint).host;
      }
      const server = await starting(startPostgres({ settings: { max_connections: '200' } }));
      const undisturbed = opening(poolOf(server.endpoint));
      const urlOf = (host: string): string => `postgres://postgres@${host}/postgres`;
      ways.set(
        'PostgreSQL',
        await postgresWay(undisturbed, opening(poolOf(urlOf(await proxyTo(server)), { max: 30 }))),
      );
      // PgBouncer is there all the time, and keeps its clients waiting for the server.
      const upstream = urlOf(await proxyTo(server));
      const bouncer = await starting(startPgBouncer({ upstream, poolSize: 20 }));
      ways.set(
        'PostgreSQL behind PgBouncer',
        await postgresWay(undisturbed, opening(poolOf(bouncer.endpoint, { max: 30 }))),
      );

      const redisServer = await starting(startRedis());
      const url = `redis://${await proxyTo(redisServer)}`;
      const directClient = new Redis(redisServer.endpoint);
      const ioredis = new Redis(url, { maxRetriesPerRequest: 2, connectTimeout: 2_000 });
      ioredis.on('error', () => undefined);
      const nodeRedis = createClient({ url, socket: { connectTimeout: 2_000 } });
      await nodeRedis.on('error', () => undefined).connect();
      opened.push(
        () => closeRedis(directClient),
        () => closeRedis(ioredis),
        () => nodeRedis.destroy(),
      );
      ways.set('Redis with ioredis', redisWay(directClient, ioredis));
      ways.set('Redis with node-redis', redisWay(directClient, nodeRedis));
    }

    async function starting<Service extends LocalService>(service: Promise<Service>): Promise<Service> {
      const started = await service;
      opened.push(() => started.stop());
      return started;
    }

    function opening(pool: Pool): Pool {
      opened.push(() => pool.end());
      return pool;
    }
  },
);

/** A charge is a row, written with the completion. Nothing but that keeps a second one out. */
async function postgresWay(undisturbed: Pool, pool: Pool): Promise<Way> {
  const table = await createPostgresTable(undisturbed);
  const charges = `charges_${table}`;
  await undisturbed.query(`CREATE TABLE ${charges} (id text NOT NULL)`);
  return {
    store: postgresStore({ pool, table }),
    direct: postgresStore({ pool: undisturbed, table }),
    charge: (id, context) =>
      inTransaction(context, async (client) => {
        await client.query(`INSERT INTO ${charges} (id) VALUES ($1)`, [id]);
        await delay(AFTERWARDS_MS);
      }),
    async charged() {
      const { rows } = await undisturbed.query<{ id: string }>(`SELECT id FROM ${charges}`);
      return rows.map(({ id }) => id);
    },
  };
}

/** A charge is a request to a service that takes an idempotency key: a message has the same one each time. */
function redisWay(undisturbed: Redis, client: Parameters<typeof redisStore>[0]['client']): Way {
  const prefix = `${randomUUID()}:`;
  const charges = new Map<string, string>();
  return {
    store: redisStore({ client, prefix }),
    direct: redisStore({ client: undisturbed, prefix }),
    async charge(id, { idempotencyKey }) {
      charges.set(idempotencyKey, id);
      await delay(AFTERWARDS_MS);
    },
    charged: async () => [...charges.values()],
  };
}

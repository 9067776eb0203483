import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { heartbeat, type RecordContext } from 'batchlatch';
import {
  inTransaction,
  type PostgresClient,
  type PostgresPool,
  postgresStore,
  type SqlStatement,
  type TransactionClient,
} from 'batchlatch/postgres';
import { sqsEvent } from 'batchlatch/testing';
import type { Pool, PoolClient } from 'pg';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { pgbouncer, startPgBouncer } from '../../test/support/components/pgbouncer.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { startToxiproxy, type Toxiproxy, toxiproxy } from '../../test/support/components/toxiproxy.ts';
import type { Proxy } from '../../test/support/components/toxiproxy-client.ts';
import { poolOf } from '../../test/support/postgres-table.ts';
import { type TransactionBench, transactionBench } from '../../test/support/transaction-bench.ts';
import { startFunction } from '../../test/support/started-function.ts';
import { until } from '../../test/support/until.ts';

let server: PostgresServer;
let pool: Pool;
let b: TransactionBench;
const insert = (client: TransactionClient, id: string): Promise<unknown> =>
  client.query(`INSERT INTO ${b.effects} (id) VALUES ($1)`, [id]);

/** A pool that does something before a COMMIT is sent. */
function poolWith(own: Pool, beforeCommit: (client: PostgresClient) => Promise<unknown>): PostgresPool {
  return {
    async connect() {
      const client = await own.connect();
      return Object.assign(Object.create(client) as typeof client, {
        async query(given: SqlStatement | string, values?: unknown[]) {
          if (typeof given === 'object' && given.text === 'COMMIT') await beforeCommit(client);
          return client.query(given as string, values);
        },
        release: (isBroken?: boolean) => client.release(isBroken),
      });
    },
  };
}

for (const way of ['directly', 'through PgBouncer in transaction mode'] as const) {
  const isBehind = way !== 'directly';
  describeWith(isBehind ? [postgres, pgbouncer] : [postgres], `inTransaction on PostgreSQL, ${way},`, () => {
    let bouncer: LocalService | undefined;
    beforeAll(async () => {
      server = await startPostgres();
      if (isBehind) bouncer = await startPgBouncer({ upstream: server.endpoint, poolSize: 5 });
      pool = poolOf((bouncer ?? server).endpoint);
    }, INSTALL_TIMEOUT_MS);
    beforeEach(async () => {
      b = await transactionBench(pool);
    });
    afterAll(async () => {
      await pool.end();
      await bouncer?.stop();
      await server.stop();
    });

    it('commits nothing for a late owner, whose claim is taken over while its function runs', async () => {
      const errors: unknown[] = [];
      const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
        inTransaction(context, async (client) => {
          await insert(client, 'a');
          await b.takeOver('a');
        }).catch((error: unknown) => errors.push(error));
      expect(await b.run(handler, ['a'])).toEqual(['a']);
      expect(errors).toMatchObject([{ code: 'BATCHLATCH_LEASE_LOST' }]);
      expect(await b.effectsOf('a')).toBe(0);
      expect(await b.claim('a')).toMatchObject({ owner: 'another', status: 'IN_PROGRESS' });
    });

    it('leaves a late owner out of a batch, and commits the others', async () => {
      let isTaken = false;
      const back = await b.runMany(
        (items) =>
          inTransaction(items, async (client, live) => {
            for (const { record } of live) await insert(client, (record.body as { id: string }).id);
            if (!isTaken) await b.takeOver('r3');
            isTaken = true;
          }),
        Array.from({ length: 20 }, (_, index) => `r${index}`),
      );
      expect(back).toEqual(['r3']);
      expect(await b.allEffects()).toHaveLength(19);
      expect(await b.effectsOf('r3')).toBe(0);
    });

    it('runs two functions again that read what the other writes, under SERIALIZABLE', async () => {
      await pool.query(`INSERT INTO ${b.effects} (id) VALUES ('x')`);
      let runs = 0;
      const both = gate(2);
      const handler = (record: { readonly body: unknown }, context: RecordContext): Promise<unknown> =>
        inTransaction(
          context,
          async (client) => {
            runs += 1;
            await client.query(`SELECT count(*) FROM ${b.effects}`);
            await both();
            await insert(client, (record.body as { id: string }).id);
          },
          { isolationLevel: 'serializable' },
        );
      expect(await b.run(handler, ['a', 'b'])).toEqual([]);
      expect(runs).toBeGreaterThan(2);
      expect(await b.allEffects()).toEqual(['a', 'b', 'x']);
    });

    it('hardly disturbs others under SERIALIZABLE that do something else', async () => {
      await pool.query(
        `INSERT INTO ${b.claims} (key, status, owner, attempt, lease_until, created_at, updated_at)
         SELECT md5(n::text), 'COMPLETED', 'o', 1, now(), now(), now() FROM generate_series(1, 20000) AS n`,
      );
      await pool.query(`ANALYZE ${b.claims}`);
      let runs = 0;
      const handler = (record: { readonly body: unknown }, context: RecordContext): Promise<unknown> =>
        inTransaction(
          context,
          async (client) => {
            runs += 1;
            await insert(client, (record.body as { id: string }).id);
            await delay(20);
          },
          { isolationLevel: 'serializable' },
        );
      const ids = Array.from({ length: 40 }, (_, index) => `s${index}`);
      expect(await b.run(handler, ids, { concurrency: 5 })).toEqual([]);
      expect(runs).toBeLessThan(60);
    });

    it('runs the loser of a deadlock again', async () => {
      await pool.query(`INSERT INTO ${b.effects} (id, note) VALUES ('x', '0'), ('y', '0')`);
      let runs = 0;
      const both = gate(2);
      const lockOf = (client: TransactionClient, id: string): Promise<unknown> =>
        client.query(`UPDATE ${b.effects} SET note = note::int + 1 WHERE id = $1`, [id]);
      const handler = (record: { readonly body: unknown }, context: RecordContext): Promise<unknown> =>
        inTransaction(context, async (client) => {
          runs += 1;
          const isA = (record.body as { id: string }).id === 'a';
          await lockOf(client, isA ? 'x' : 'y');
          await both();
          await lockOf(client, isA ? 'y' : 'x');
        });
      expect(await b.run(handler, ['a', 'b'])).toEqual([]);
      expect([3, 4]).toContain(runs); // on a busy machine both may lose, once each
      const { rows } = await pool.query(`SELECT note FROM ${b.effects}`);
      expect(rows).toEqual([{ note: '2' }, { note: '2' }]);
    });

    it('renews leases while a function runs longer than them, and commits', async () => {
      const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
        inTransaction(context, async (client) => {
          await insert(client, 'a');
          await delay(2_500);
        });
      expect(await b.run(handler, ['a'], { leaseMs: 1_000, heartbeat: heartbeat() })).toEqual([]);
      expect(await b.effectsOf('a')).toBe(1);
      expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED', attempt: 1 });
    });

    it('runs again under REPEATABLE READ where a lease is renewed meanwhile', async () => {
      let runs = 0;
      const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
        inTransaction(
          context,
          async (client) => {
            runs += 1;
            await insert(client, 'a');
            if (runs === 1) await context.extendLease(120_000);
          },
          { isolationLevel: 'repeatable read' },
        );
      expect(await b.run(handler, ['a'])).toEqual([]);
      expect(runs).toBe(2);
      expect(await b.effectsOf('a')).toBe(1);
    });

    it('is not committed where an adapter sends its statements outside of the transaction', async () => {
      const adapter = {
        async transaction<Result>(body: (client: PoolClient) => Promise<Result>) {
          const client = await pool.connect();
          try {
            await client.query('BEGIN');
            const result = await body(client);
            await client.query('COMMIT');
            return result;
          } finally {
            client.release(true);
          }
        },
        query: async (_client: PoolClient, text: string, values: readonly string[]) =>
          (await pool.query(text, [...values])).rows as unknown[],
      };
      const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
        inTransaction(context, (client: PoolClient) => insert(client, 'a'), { adapter });
      expect(await b.run(handler, ['a'])).toEqual(['a']);
      expect((await b.claim('a'))?.['error']).toMatchObject({
        code: 'BATCHLATCH_CONFIGURATION',
        message: expect.stringContaining('outside of the transaction'),
      });
      expect(await b.effectsOf('a')).toBe(0);
    });
  });
}

describeWith([postgres], 'a process that stands still before its COMMIT', () => {
  beforeAll(async () => {
    server = await startPostgres();
    pool = poolOf(server.endpoint);
    b = await transactionBench(pool);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  it('keeps no place in the pool where the database ends its transaction, and can go on', async () => {
    const small = poolOf(server.endpoint, { max: 1, options: '-c idle_in_transaction_session_timeout=300' });
    const own = await transactionBench(pool, (_, table) => postgresStore({ pool: small, table }));
    let runs = 0;
    let goOn!: () => void;
    const going = new Promise<void>((resolve) => (goOn = resolve));
    let begun!: () => void;
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    const running = own.run(
      (_: unknown, context: RecordContext) =>
        inTransaction(context, async (client) => {
          runs += 1;
          await client.query(`INSERT INTO ${own.effects} (id) VALUES ('a')`);
          begun();
          await going;
        }),
      ['a'],
    );
    await beginning;
    // Waits for the only connection.
    expect((await small.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    goOn();
    expect([await running, runs]).toEqual([[], 2]);
    expect(await own.effectsOf('a')).toBe(1);
    await small.end();
  });

  it('keeps nobody from the claims for long: the database ends its transaction', async () => {
    const adapter = {
      async transaction<Result>(body: (client: PoolClient) => Promise<Result>) {
        const client = await pool.connect();
        client.on('error', () => client.release(true));
        await client.query('BEGIN');
        await body(client);
        return new Promise<Result>(() => undefined);
      },
      query: async (client: PoolClient, text: string, values: readonly string[]) =>
        (await client.query(text, [...values])).rows as unknown[],
    };
    const still = (_: unknown, context: RecordContext): Promise<unknown> =>
      inTransaction(context, (client) => insert(client, 'a'), { adapter });
    const running = b.run(still, ['a'], { leaseMs: 2_000 });
    await until('its claim is completed, but for the COMMIT', async () => {
      const { rows } = await pool.query(
        "SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction' AND query LIKE '%owned%'",
      );
      return rows.length === 1;
    });
    await delay(2_000);
    const others = (_: unknown, context: RecordContext): Promise<unknown> =>
      inTransaction(context, (client) => insert(client, 'b'));
    // Of one batch, and so of one statement.
    expect(await b.run(others, ['a', 'b'])).toEqual([]);
    expect(await running).toEqual(['a']);
    expect([await b.effectsOf('a'), await b.effectsOf('b')]).toEqual([0, 2]);
  });
});

describeWith([postgres], 'a process that is killed in inTransaction', () => {
  beforeAll(async () => {
    server = await startPostgres();
    pool = poolOf(server.endpoint);
  }, INSTALL_TIMEOUT_MS);
  beforeEach(async () => {
    b = await transactionBench(pool);
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  const ids = Array.from({ length: 10 }, (_, index) => `m${index}`);

  async function invoke(diesAt: string | undefined, timeoutMs = 1_500): Promise<unknown> {
    const fn = await startFunction({
      module: new URL('../../test/support/transaction-function.ts', import.meta.url),
      environment: {
        POSTGRES_URL: server.endpoint,
        CLAIMS_TABLE: b.claims,
        EFFECTS_TABLE: b.effects,
        BATCHLATCH_LOG_LEVEL: 'silent',
        ...(diesAt !== undefined && { DIES_AT: diesAt }),
      },
      timeoutMs,
    });
    const event = sqsEvent(ids.map((id) => ({ messageId: id, body: { id } })));
    const result = await fn.invoke(event);
    await fn.stop();
    return result.ok ? result.payload : 'died';
  }

  it.each([
    ['after its effect, before the COMMIT', 'effect'],
    ['after the COMMIT is sent', 'commit'],
    ['after the COMMIT, before the answer', 'committed'],
  ])('%s: each effect is there once after the next delivery', async (_moment, diesAt) => {
    expect(await invoke(diesAt)).toBe('died');
    const after = await b.allEffects();
    const { rows } = await pool.query(`SELECT 1 FROM ${b.claims} WHERE status = 'COMPLETED'`);
    expect(after).toHaveLength(rows.length); // effect and completion, or neither
    if (diesAt === 'effect') expect(after).toEqual([]);
    if (diesAt === 'committed') expect(after.length).toBeGreaterThan(0);
    await delay(2_600); // their leases lapse
    expect(await invoke(undefined, 20_000)).toEqual({ batchItemFailures: [] });
    expect(await b.allEffects()).toEqual(ids);
  });
});

describeWith([postgres, toxiproxy], 'inTransaction on a PostgreSQL behind a network that fails', () => {
  let faults: Toxiproxy;
  let proxy: Proxy;
  let disturbed: Pool;
  beforeAll(async () => {
    server = await startPostgres();
    faults = await startToxiproxy();
    proxy = await faults.createProxy({ upstream: server.endpoint });
    pool = poolOf(server.endpoint);
  }, INSTALL_TIMEOUT_MS);
  beforeEach(async () => {
    await proxy.reset();
    disturbed = poolOf(
      proxy.endpoint.replace('http:', 'postgres://postgres@').replace('@//', '@') + '/postgres',
    );
  });
  afterAll(async () => {
    await pool.end();
    await faults.stop();
    await server.stop();
  });

  /** Runs a record whose first COMMIT meets a fault that lasts for a moment. */
  async function runWith(
    fault: () => Promise<unknown>,
  ): Promise<{ readonly back: string[]; readonly runs: number }> {
    let isDone = false;
    const own = poolWith(disturbed, async () => {
      if (isDone) return;
      isDone = true;
      await fault();
    });
    b = await transactionBench(pool, (_, table) => postgresStore({ pool: own, table }));
    let runs = 0;
    const back = await b.run(
      (_, context) =>
        inTransaction(context, async (client) => {
          runs += 1;
          await insert(client, 'a');
        }),
      ['a'],
    );
    await disturbed.end();
    return { back, runs };
  }

  it('knows from the row that it has committed, when the answer to the COMMIT is lost', async () => {
    const { back, runs } = await runWith(async () => {
      await proxy.addToxic({
        name: 'cut',
        type: 'timeout',
        stream: 'downstream',
        attributes: { timeout: 1_000 }, // the COMMIT has to be sent by then
      });
      setTimeout(() => void proxy.removeToxic('cut'), 2_500);
    });
    expect([back, runs]).toEqual([[], 1]);
    expect(await b.effectsOf('a')).toBe(1);
    expect(b.typesOf('a')).toContain('committed');
  });

  it('runs the function again when the COMMIT itself is lost', async () => {
    const { back, runs } = await runWith(async () => {
      await proxy.addToxic({
        name: 'cut',
        type: 'timeout',
        stream: 'upstream',
        attributes: { timeout: 100 },
      });
      setTimeout(() => void proxy.removeToxic('cut'), 600);
    });
    expect([back, runs]).toEqual([[], 2]);
    expect(await b.effectsOf('a')).toBe(1);
  });

  it('finds out when the server is killed in the COMMIT, and starts again', async () => {
    const { back } = await runWith(async () => {
      await server.crash();
      setTimeout(() => void server.startAgain(), 500);
    });
    expect(back).toEqual([]);
    expect(await b.effectsOf('a')).toBe(1);
  });

  it('does not say that it has failed while the transaction may still be committed: it waits for its end', async () => {
    // The store's own connections are fine; the transaction's COMMIT is held up for longer than it is waited for.
    b = await transactionBench(pool);
    let isHeldUp = false;
    const adapter = {
      async transaction<Result>(body: (client: PoolClient) => Promise<Result>) {
        const client = await disturbed.connect();
        client.on('error', () => undefined);
        await client.query('BEGIN');
        const result = await body(client);
        if (!isHeldUp) {
          isHeldUp = true;
          await proxy.addToxic({ type: 'latency', stream: 'upstream', attributes: { latency: 11_000 } });
        }
        await client.query('COMMIT');
        client.release();
        return result;
      },
      query: async (client: PoolClient, text: string, values: readonly string[]) =>
        (await client.query(text, [...values])).rows as unknown[],
    };
    let runs = 0;
    const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
      inTransaction(
        context,
        async (client) => {
          runs += 1;
          await insert(client, 'a');
        },
        { adapter },
      );
    expect([await b.run(handler, ['a']), runs]).toEqual([[], 1]);
    expect(await b.effectsOf('a')).toBe(1);
    await until('its connection is free', () => disturbed.idleCount === disturbed.totalCount);
    await disturbed.end();
  });
});

/** Resolves for each of the first `count` callers when all of them are there, and at once for later ones. */
function gate(count: number): () => Promise<void> {
  let missing = count;
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return () => {
    missing -= 1;
    if (missing <= 0) open();
    return opened;
  };
}

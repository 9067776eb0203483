import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { postgresStore } from 'batchlatch/postgres';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import type { Pool } from 'pg';
import type { ClaimRequest } from '../../src/claims/claim-store.ts';
import { type CuttingProxy, startCuttingProxy } from '../../test/support/cutting-proxy.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { startToxiproxy, toxiproxy, type Toxiproxy } from '../../test/support/components/toxiproxy.ts';
import type { Proxy } from '../../test/support/components/toxiproxy-client.ts';
import { createPostgresTable, poolOf } from '../../test/support/postgres-table.ts';
import { roundTripsOf } from './support/round-trips.ts';

describeWith([postgres, toxiproxy], 'claims in PostgreSQL under faults', () => {
  let server: PostgresServer;
  let faults: Toxiproxy;
  let proxy: Proxy;
  let losing: CuttingProxy;
  let pool: Pool;
  let lossyPool: Pool;
  let table: string;
  let keys = 0;

  beforeAll(async () => {
    server = await startPostgres();
    faults = await startToxiproxy();
    const { host } = new URL(server.endpoint);
    proxy = await faults.createProxy({ upstream: `http://${host}` });
    losing = await startCuttingProxy(server.endpoint);
    pool = poolOf(`postgres://postgres@${new URL(proxy.endpoint).host}/postgres`);
    lossyPool = poolOf(losing.endpoint, { max: 1 });
    table = await createPostgresTable(pool);
  }, INSTALL_TIMEOUT_MS);
  afterEach(() => proxy.reset());
  afterAll(async () => {
    await pool.end();
    await lossyPool.end();
    await losing.stop();
    await faults.stop();
    await server.stop();
  });

  function requests(count: number): ClaimRequest[] {
    return Array.from({ length: count }, () => ({
      key: `fault-${(keys += 1)}`,
      owner: 'me',
      leaseMs: 60_000,
      retentionMs: 60_000,
    }));
  }

  it('are acquired once where the answer is lost and the statement sent again', async () => {
    const store = postgresStore({ pool: lossyPool, table });
    await store.inspect('opens the connection');
    losing.loseNextAnswer();
    const asked = requests(20);
    const before = Date.now();
    const cutsBefore = losing.cuts();
    const outcomes = await store.acquire(asked);
    expect(losing.cuts() - cutsBefore).toBe(1);
    for (const [index, outcome] of outcomes.entries()) {
      expect(outcome).toMatchObject({ status: 'acquired', attempt: 1, crashes: 0, tookOver: false });
      const { leaseUntil = 0 } = (await store.inspect(asked[index]?.key as string)) ?? {};
      const told = outcome.status === 'acquired' ? outcome.leaseUntil : 0;
      expect(told).toBeLessThanOrEqual(leaseUntil);
      expect(told).toBeGreaterThanOrEqual(before + 59_000);
    }
  });

  it('are settled, extended and started where the answer is lost', async () => {
    const store = postgresStore({ pool: lossyPool, table });
    const [own] = requests(1) as [ClaimRequest];
    await store.acquire([{ ...own, recordsStart: true }]);
    const lostBefore = losing.cuts();
    losing.loseNextAnswer();
    expect(await store.start?.([own])).toEqual(['stored']);
    losing.loseNextAnswer();
    expect(await store.extend([own])).toEqual(['stored']);
    losing.loseNextAnswer();
    expect(await store.settle([{ ...own, end: 'release', releases: 0, retentionMs: 60_000 }])).toEqual([
      'stored',
    ]);
    expect(losing.cuts() - lostBefore).toBe(3);
    expect(await store.inspect(own.key)).toMatchObject({ status: 'FAILED', releases: 1, attempt: 1 });
  });

  it('are acquired, and ended, once where the server is killed between the statement and its answer', async () => {
    const store = postgresStore({ pool: lossyPool, table });
    const asked = requests(20);
    const before = losing.cuts();
    const restart = async (): Promise<void> => {
      await server.crash();
      await server.startAgain();
    };
    await store.inspect('opens the connection');
    losing.loseNextAnswer(restart);
    for (const outcome of await store.acquire(asked)) {
      expect(outcome).toMatchObject({ status: 'acquired', attempt: 1, crashes: 0, tookOver: false });
    }
    losing.loseNextAnswer(restart);
    const outcomes = await store.settle(asked.map((own) => ({ ...own, end: 'complete' })));
    expect(outcomes).toEqual(asked.map(() => 'stored'));
    expect(losing.cuts() - before).toBe(2);
  });

  it('have leases that end no later than the database says, however slow the way is', async () => {
    await proxy.addToxic({ type: 'latency', attributes: { latency: 300 } });
    const store = postgresStore({ pool, table });
    const [own] = requests(1) as [ClaimRequest];
    const [outcome] = await store.acquire([own]);
    const row = await store.inspect(own.key);
    expect(outcome).toMatchObject({ status: 'acquired' });
    const told = outcome?.status === 'acquired' ? outcome.leaseUntil : Infinity;
    expect(told).toBeLessThanOrEqual(row?.leaseUntil ?? 0);
    const [refused] = await store.acquire([{ ...own, owner: 'other' }]);
    expect(refused).toMatchObject({ status: 'conflict' });
  });

  it.each([25, 100])('take a batch of %i records two round trips', async (records) => {
    expect(await roundTripsOf(postgresStore({ pool, table }), proxy, records)).toBe(2);
  });

  it('are told to be unknown after a while where nobody answers, and the pool is as good as new', async () => {
    const store = postgresStore({ pool, table });
    await store.inspect('opens the connection');
    await proxy.addToxic({ type: 'timeout', attributes: { timeout: 0 } });
    const controller = new AbortController();
    const outcomes = store.acquire(requests(1), { signal: controller.signal });
    setTimeout(() => controller.abort(), 1_000);
    expect(await outcomes).toMatchObject([{ status: 'error', error: { code: 'BATCHLATCH_STORE_SILENT' } }]);
    await proxy.reset();
    expect(await store.acquire(requests(1))).toMatchObject([{ status: 'acquired' }]);
  });

  /** Each message is delivered until it is acknowledged, while something happens. Gives how often each ran. */
  async function runsDuring(fault: () => Promise<void>): Promise<number[]> {
    const runs = new Map<string, number>();
    const run = createBatchProcessor<{ readonly id: string }>(
      async ({ id }) => {
        runs.set(id, (runs.get(id) ?? 0) + 1);
        await delay(5);
      },
      { store: postgresStore({ pool, table }) },
    );
    let isOver = false;
    const worker = async (): Promise<void> => {
      while (!isOver) {
        let waiting = Array.from({ length: 10 }, () => `message-${(keys += 1)}`);
        while (waiting.length > 0) {
          const event = sqsEvent(waiting.map((id) => ({ messageId: id, body: JSON.stringify({ id }) })));
          const answer = await run(event, lambdaContext({ remainingTimeMs: 60_000 }));
          const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
          waiting = waiting.filter((id) => failed.has(id));
          if (waiting.length > 0) await delay(100);
        }
      }
    };
    const workers = Promise.all(Array.from({ length: 4 }, worker));
    await delay(300);
    await fault();
    await delay(500);
    isOver = true;
    await workers;
    return [...runs.values()];
  }

  it.each([
    [
      'the network is away for a second',
      async () => {
        await proxy.disable();
        await delay(1_000); // ends are stored again for about three
        await proxy.enable();
      },
    ],
    [
      'connections are reset again and again',
      async () => {
        for (let time = 0; time < 10; time += 1) {
          await proxy.disable();
          await proxy.enable();
          await delay(100);
        }
      },
    ],
    [
      'the primary restarts',
      async () => {
        await server.shutDown();
        await server.startAgain();
      },
    ],
    [
      'all processes of the server are killed',
      async () => {
        await server.crash();
        await server.startAgain();
      },
    ],
  ])('run each message once while %s', async (_what, fault) => {
    const runs = await runsDuring(fault);
    expect(runs.length).toBeGreaterThan(40);
    expect(runs.filter((count) => count !== 1)).toEqual([]);
  });
});

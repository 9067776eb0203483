import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { ClaimStore, RecordContext } from 'batchlatch';
import { inTransaction, postgresStore } from 'batchlatch/postgres';
import type { Pool } from 'pg';
import type { ClaimRequest } from '../../src/claims/claim-store.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import {
  type PostgresStandby,
  STANDBY,
  startStandby,
} from '../../test/support/components/postgres-standby.ts';
import type { Proxy } from '../../test/support/components/toxiproxy-client.ts';
import { startToxiproxy, toxiproxy, type Toxiproxy } from '../../test/support/components/toxiproxy.ts';
import { createPostgresTable, poolOf } from '../../test/support/postgres-table.ts';
import { startSteadyWork, type SteadyWork } from './support/steady-work.ts';
import { until } from './support/until.ts';

describeWith([postgres, toxiproxy], 'a failover of PostgreSQL to its standby', () => {
  let faults: Toxiproxy;
  let primary: PostgresServer;
  let standby: PostgresStandby;
  /** The way on which the standby gets the primary's log. */
  let link: Proxy;
  /** The way of the pool: the name of the cluster, behind which one server stands and then the other. */
  let writer: Proxy;
  let onPrimary: Pool;
  let pool: Pool;
  let table: string;
  let work: SteadyWork | undefined;

  beforeAll(async () => void (faults = await startToxiproxy()), INSTALL_TIMEOUT_MS);
  beforeEach(async () => {
    primary = await startPostgres();
    link = await faults.createProxy({ upstream: primary.endpoint });
    standby = await startStandby(primary, link);
    writer = await faults.createProxy({ upstream: primary.endpoint });
    onPrimary = poolOf(primary.endpoint);
    pool = poolOf(`postgres://postgres@${new URL(writer.endpoint).host}/postgres`, { max: 20 });
    table = await createPostgresTable(onPrimary);
    await onPrimary.query('CREATE TABLE charges (id text NOT NULL)');
    await untilReplicated();
  });
  afterEach(async () => {
    await work?.stop();
    for (const own of [pool, onPrimary]) await own.end();
    for (const server of [standby, primary]) await server.stop();
  });
  afterAll(() => faults.stop());

  it('forgets what an asynchronous standby lacks, although it was answered', async () => {
    const store = postgresStore({ pool, table });
    const kept = await completed(store, 'kept');
    await untilReplicated();
    await stopReplication();
    const forgotten = await completed(store, 'forgotten');
    const running = requestOf('running');
    expect(await store.acquire([running])).toMatchObject([{ status: 'acquired' }]);
    await failOver();

    expect(await store.acquire([again(kept)])).toMatchObject([{ status: 'duplicate' }]);
    // The weakness: one was completed, and the other has an owner, whose lease is not over.
    expect(await store.acquire([again(forgotten), again(running)])).toMatchObject([
      { status: 'acquired', attempt: 1 },
      { status: 'acquired', attempt: 1 },
    ]);
    expect(await store.settle([{ ...running, end: 'complete' }])).toEqual(['lost']);
  });

  it('forgets an effect of inTransaction only together with its completion', async () => {
    const store = postgresStore({ pool, table });
    work = startSteadyWork({ store, invocationMs: 3_000, workers: 1, effect: charge });
    await until('there are charges', async () => (await chargesIn(onPrimary)).length > 30);
    await stopReplication();
    const before = (await chargesIn(onPrimary)).length;
    await until('there are more', async () => (await chargesIn(onPrimary)).length > before + 30);
    await work.finish();
    const charged = await chargesIn(onPrimary);
    await failOver();
    const left = await chargesIn(pool);
    expect(left.length).toBeLessThan(charged.length);
    expect(left).toEqual(await completedIn(pool));
  });

  it('forgets nothing that was answered where the standby is synchronous, and work goes on at the standby', async () => {
    await beSynchronous('on');
    const store = postgresStore({ pool, table });
    const steady = startSteadyWork({ store, invocationMs: 3_000, workers: 4, effect: charge });
    work = steady;
    await until('there are charges', () => steady.runs.length > 100);
    // In the middle of it: nothing is done to have the standby catch up.
    await failOver();
    const failedOverAt = Date.now();
    const acknowledged = [...steady.acknowledged];
    expect(await completedIn(pool)).toEqual(expect.arrayContaining(acknowledged));
    await until('work goes on', () => steady.runs.some(({ startedAt }) => startedAt > failedOverAt + 500));
    await steady.finish();
    const ids = steady.ids.toSorted();
    expect(await completedIn(pool)).toEqual(ids);
    expect(await chargesIn(pool)).toEqual(ids);
  });

  it('has not answered what a synchronous standby lacks, so that nobody counts on it', async () => {
    await beSynchronous('remote_apply');
    const store = postgresStore({ pool, table });
    const kept = await completed(store, 'kept');
    const ending = requestOf('ending');
    await store.acquire([ending]);
    await stopReplication();
    const beginning = requestOf('beginning');
    let answers = 0;
    const asked = [store.acquire([beginning]), store.settle([{ ...ending, end: 'complete' }])];
    for (const answer of asked) void answer.then(() => (answers += 1));
    await until('both wait for the standby', async () => {
      const { rows } = await onPrimary.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
      return rows.length === 2;
    });
    expect(answers).toBe(0);
    await failOver();

    await Promise.all(asked);
    expect(await store.acquire([beginning, again(kept)])).toMatchObject([
      { status: 'acquired', attempt: 1 },
      { status: 'duplicate' },
    ]);
    expect(await store.settle([{ ...ending, end: 'complete' }])).toEqual(['stored']);
  });

  function charge(id: string, context: RecordContext): Promise<unknown> {
    return inTransaction(context, (client) => client.query('INSERT INTO charges (id) VALUES ($1)', [id]));
  }

  /** The standby hears nothing any more. */
  async function stopReplication(): Promise<void> {
    await link.addToxic({ type: 'timeout', attributes: { timeout: 0 } });
  }

  /** `kill -9` of the primary; then the standby takes over, and the cluster's name leads to it. */
  async function failOver(): Promise<void> {
    await primary.crash();
    await link.disable();
    await standby.promote();
    await writer.redirect(standby.endpoint);
  }

  async function beSynchronous(commit: 'on' | 'remote_apply'): Promise<void> {
    await onPrimary.query(`ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`);
    await onPrimary.query(`ALTER SYSTEM SET synchronous_commit = '${commit}'`);
    await onPrimary.query('SELECT pg_reload_conf()');
    await until('the standby is synchronous', async () => {
      const { rows } = await onPrimary.query('SELECT sync_state AS state FROM pg_stat_replication');
      return (rows[0] as { state?: string } | undefined)?.state === 'sync';
    });
  }

  async function untilReplicated(): Promise<void> {
    await until('the standby has all', async () => {
      const { rows } = await onPrimary.query(
        'SELECT replay_lsn = pg_current_wal_lsn() AS is_even FROM pg_stat_replication',
      );
      return (rows[0] as { is_even?: boolean } | undefined)?.is_even === true;
    });
  }

  async function completedIn(own: Pool): Promise<string[]> {
    const { rows } = await own.query(
      `SELECT substring(key FROM '[^:]+$') AS id FROM ${table} WHERE status = 'COMPLETED' ORDER BY 1`,
    );
    return (rows as { id: string }[]).map(({ id }) => id);
  }
});

async function chargesIn(own: Pool): Promise<string[]> {
  const { rows } = await own.query('SELECT id FROM charges ORDER BY 1');
  return (rows as { id: string }[]).map(({ id }) => id);
}

function requestOf(key: string): ClaimRequest {
  return { key, owner: randomUUID(), leaseMs: 60_000, retentionMs: 600_000 };
}

/** The same, by somebody else. */
function again(request: ClaimRequest): ClaimRequest {
  return { ...request, owner: randomUUID() };
}

async function completed(store: ClaimStore, key: string): Promise<ClaimRequest> {
  const request = requestOf(key);
  await store.acquire([request]);
  expect(await store.settle([{ ...request, end: 'complete' }])).toEqual(['stored']);
  return request;
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { redisAdmin, redisStore } from 'batchlatch/redis';
import { Redis } from 'ioredis';
import { loadPeer } from '../../packages/cli/src/cli/connect/load-peer.ts';
import { openRedis } from '../../packages/cli/src/cli/connect/redis.ts';
import { runCommand } from '../../packages/cli/test/cli/run-command.ts';
import { claimRequest, settlementOf } from '../../test/support/claim-builders.ts';
import { closeRedis } from '../../test/support/close-redis.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { redis, type RedisService, startRedis } from '../../test/support/components/redis.ts';
import { until } from './support/until.ts';

describeWith([redis, postgres], 'The commands on Redis and PostgreSQL', () => {
  let server: RedisService;
  let database: PostgresServer;
  let client: Redis;
  const run = (...args: string[]) =>
    runCommand(args, { env: { REDIS_URL: server.endpoint, DATABASE_URL: database.endpoint } });

  beforeAll(async () => {
    [server, database] = await Promise.all([startRedis(), startPostgres()]);
    client = new Redis(server.endpoint);
    const store = redisStore({ client, prefix: 'shop:' });
    for (const key of ['orders#1', 'orders#2']) {
      const request = claimRequest(key);
      await store.acquire([request]);
      await store.settle([settlementOf('park', request)]);
    }
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await closeRedis(client);
    await Promise.all([server.stop(), database.stop()]);
  });

  it('list, show and change them', async () => {
    const where = ['--redis', '--redis-prefix', 'shop:'];
    const listed = await run('claims', 'list', '--state', 'parked', ...where);
    expect(listed).toMatchObject({
      status: 0,
      out: expect.stringMatching(/(?=[^]*orders#1 )(?=[^]*orders#2 )/),
    });
    expect(listed.err).toMatch(/^2 parked claims in Redis under shop:\. Read \d+ rows of Redis/);
    const released = await run('claims', 'release', 'orders#1', '--reason', 'fixed', '--yes', ...where);
    expect(released).toMatchObject({ status: 0, out: 'Released orders#1\n' });
    const shown = await run('claims', 'show', 'orders#1', '--json', ...where);
    expect(JSON.parse(shown.out)).toMatchObject({ claims: [{ status: 'FAILED', history: [{}] }] });
    expect(await run('claims', 'show', 'orders#1', '--redis')).toMatchObject({ status: 1 });
  });

  it('copy them from one to the other', async () => {
    expect(await run('table', 'create', '--postgres', '--yes')).toMatchObject({ status: 0 });
    const args = ['claims', 'copy', '--from', 'redis', '--from-prefix', 'shop:', '--to', 'postgres'];
    expect(await run(...args, '--yes')).toMatchObject({
      status: 0,
      out: 'Copied 2 claims; 0 were there already.\n',
    });
    expect((await run('claims', 'list', '--postgres')).out).toMatch(/orders#1 +failed[^]*orders#2 +parked/);
  });

  describe.each(['ioredis', 'redis'])('A command that stays open, with %s,', (name) => {
    it('fails while Redis is silent or gone, and goes on when it is back', async () => {
      const own = await startRedis();
      const { signal } = new AbortController();
      const { client: ofCommand, close } = await openRedis(loadPeer([name]), own.endpoint, false, signal);
      const admin = redisAdmin({ client: ofCommand });
      const read = (): Promise<unknown> =>
        admin.read('orders#1').then(
          () => 'read',
          () => 'failed',
        );
      try {
        expect(await read()).toBe('read');
        process.kill(own.pid(), 'SIGSTOP');
        expect(await read()).toBe('failed');
        process.kill(own.pid(), 'SIGCONT');
        await until('Redis answers again', async () => (await read()) === 'read');
        await own.kill();
        expect(await read()).toBe('failed');
        await own.restart();
        await until('Redis is found again', async () => (await read()) === 'read');
      } finally {
        close();
        await own.stop();
      }
    });
  });

  describe('doctor', () => {
    const codes = async (...args: string[]): Promise<string[]> => {
      const { out } = await run('doctor', '--json', ...args);
      const { findings } = JSON.parse(out) as { findings: { code: string; severity: string }[] };
      return findings.map(({ code, severity }) => `${severity} ${code}`).toSorted();
    };

    it('looks at Redis', async () => {
      await client.config('SET', 'maxmemory-policy', 'noeviction');
      expect(await codes('--redis')).toEqual(['info redis-no-replica', 'warning redis-not-persistent']);
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      expect(await codes('--redis')).toContain('error redis-eviction');
      expect((await run('doctor', '--redis')).status).toBe(1);
      const sarif = await run('doctor', '--redis', '--sarif');
      expect(sarif.out).toContain('"ruleId": "redis-eviction"');
    });

    it('looks at PostgreSQL, and at both at once', async () => {
      await run('table', 'create', '--postgres', '--table', 'looked_at', '--yes');
      // The tests' server does not wait for its disk.
      expect(await codes('--postgres', '--table', 'looked_at')).toEqual(['error postgres-not-durable']);
      const both = await codes('--postgres', '--table', 'looked_at', '--redis');
      expect(both).toEqual(expect.arrayContaining(['error postgres-not-durable', 'info redis-no-replica']));
    });
  });
});

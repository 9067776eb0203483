import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import type { ClaimRequest, ClaimStore } from '../../src/claims/claim-store.ts';
import { redisStore } from '../../src/stores/redis/index.ts';
import type { RedisClient } from '../../src/stores/redis/redis-client.ts';
import { closeRedis } from '../../test/support/close-redis.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { redis, type RedisService, startRedis } from '../../test/support/components/redis.ts';
import type { Proxy } from '../../test/support/components/toxiproxy-client.ts';
import { startToxiproxy, type Toxiproxy, toxiproxy } from '../../test/support/components/toxiproxy.ts';
import { runsWithinALease } from './support/disturbed-job.ts';
import { deliverUntilDone } from './support/redis-job.ts';
import { roundTripsOf } from './support/round-trips.ts';
import { until } from './support/until.ts';

const CLIENTS = ['ioredis', 'node-redis'] as const;
const opened: (() => unknown)[] = [];

describeWith([redis, toxiproxy], 'with Toxiproxy before Redis', () => {
  let server: RedisService;
  let faults: Toxiproxy;
  let proxy: Proxy;
  beforeAll(async () => {
    faults = await startToxiproxy();
    server = await startRedis({ settings: ['--appendonly', 'yes', '--appendfsync', 'always'] });
    proxy = await faults.createProxy({ upstream: asHttp(server) });
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await faults.stop();
    await server.stop();
  });
  afterEach(async () => {
    await proxy.reset();
    for (const close of opened.splice(0)) await close();
  });

  describe.each(CLIENTS)('%s', (name) => {
    it('makes no second run of slow answers', async () => {
      await proxy.addToxic({ type: 'latency', attributes: { latency: 150, jitter: 100 } });
      const { job, keys } = await started(name, { withinMs: 30_000 });
      const { runs, acknowledgedUnstored } = await job;
      expect(runs).toHaveLength(keys.length);
      expect(acknowledgedUnstored).toEqual([]);
    });

    it.each([25, 100])('takes two round trips for a batch of %i records', async (records) => {
      const store = redisStore({ client: await opening(name, asRedis(proxy)), prefix: `${randomUUID()}:` });
      expect(await roundTripsOf(store, proxy, records)).toBe(2);
    });

    it('keeps its promises over connections that are reset in the middle', async () => {
      const { job, keys } = await started(name, { count: 300, withinMs: 50_000 });
      // So often that hardly an invocation is spared, and for long enough in between that a client gets ready.
      for (let round = 0; round < 10; round += 1) {
        await proxy.addToxic({ type: 'limit_data', stream: 'downstream', attributes: { bytes: 20_000 } });
        await delay(150);
        await proxy.reset();
        await proxy.disable();
        await proxy.enable();
        await delay(350);
      }
      const { runs, acknowledgedUnstored } = await job;
      expect(new Set(runs.map(({ key }) => key)).size).toBe(keys.length);
      expect(runsWithinALease(runs)).toEqual([]);
      expect(acknowledgedUnstored).toEqual([]);
    });

    it('finds its own claim when the server died after the script and before the answer', async () => {
      const store = redisStore({ client: await opening(name, asRedis(proxy)) });
      const direct = redisStore({ client: await opening(name, server.endpoint) });
      await direct.acquire([requestOf('so that the script is there')]);
      await store.inspect('so is the connection');
      await proxy.addToxic({ type: 'timeout', stream: 'downstream', attributes: { timeout: 0 } });
      const request = requestOf(`killed-${name}`);
      const asked = store.acquire([request]).catch((error: unknown) => [{ status: 'error', error }]);
      await until('the claim is there', async () => (await direct.inspect(request.key)) !== undefined);
      await server.kill();
      await server.restart();
      await proxy.reset();
      await asked;
      expect(await store.acquire([request])).toMatchObject([{ status: 'acquired', attempt: 1 }]);
      expect(await store.acquire([requestOf(request.key)])).toMatchObject([
        { status: 'conflict', attempt: 1 },
      ]);
    });
  });

  async function started(
    name: (typeof CLIENTS)[number],
    { count = 100, withinMs }: { count?: number; withinMs: number },
  ) {
    const prefix = `${randomUUID()}:`;
    const keys = Array.from({ length: count }, () => randomUUID());
    const store = redisStore({ client: await opening(name, asRedis(proxy)), prefix });
    const direct = redisStore({ client: await opening(name, server.endpoint), prefix });
    const job = deliverUntilDone({ store, direct, keys, functionTimeoutMs: 2_500, leaseMs: 3_000, withinMs });
    return { job, keys };
  }
});

describeWith([redis], 'a Redis that is restarted', () => {
  afterEach(async () => {
    for (const close of opened.splice(0)) await close();
  });

  it('has forgotten every claim where it keeps nothing on disk', async () => {
    const server = await startRedis();
    try {
      const store = redisStore({ client: await opening('ioredis', server.endpoint) });
      expect(await completed(store, 'forgotten')).toEqual(['stored']);
      await server.kill();
      await server.restart();
      expect(await store.acquire([requestOf('forgotten')])).toMatchObject([
        { status: 'acquired', attempt: 1 },
      ]);
    } finally {
      await server.stop();
    }
  });

  it('knows every claim that it answered where its append-only file is always synced', async () => {
    const server = await startRedis({ settings: ['--appendonly', 'yes', '--appendfsync', 'always'] });
    try {
      const store = redisStore({ client: await opening('node-redis', server.endpoint) });
      expect(await completed(store, 'known')).toEqual(['stored']);
      await server.kill();
      await server.restart();
      expect(await store.acquire([requestOf('known')])).toMatchObject([{ status: 'duplicate' }]);
    } finally {
      await server.stop();
    }
  });
});

describeWith([redis, toxiproxy], 'a failover to a replica that lacks the last write', () => {
  let primary: RedisService;
  let replica: RedisService;
  let faults: Toxiproxy;
  let link: Proxy;
  beforeAll(async () => {
    faults = await startToxiproxy();
    primary = await startRedis();
    link = await faults.createProxy({ upstream: asHttp(primary) });
    replica = await startRedis({ settings: ['--replicaof', '127.0.0.1', new URL(link.endpoint).port] });
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    for (const close of opened.splice(0)) await close();
    for (const service of [replica, primary, faults]) await service.stop();
  });

  it('forgets that write, unless `wait` had it fail', async () => {
    const onPrimary = await opening('ioredis', primary.endpoint);
    const toReplica = new Redis(replica.endpoint);
    opened.push(() => closeRedis(toReplica));
    const plain = redisStore({ client: onPrimary });
    const wait = { replicas: 1, timeoutMs: 300 };
    const waiting = redisStore({ client: onPrimary, wait });
    await until('the replica follows', async () =>
      /master_link_status:up/.test(await toReplica.info('replication')),
    );
    const request = requestOf('before');
    expect(await waiting.acquire([request])).toMatchObject([{ status: 'acquired' }]);

    await link.addToxic({ type: 'timeout', attributes: { timeout: 0 } });
    expect(await completed(plain, 'lost')).toEqual(['stored']);
    const refused = requestOf('refused');
    expect(await waiting.acquire([refused])).toMatchObject([
      { status: 'error', error: { code: 'BATCHLATCH_NOT_REPLICATED', isRetryable: true } },
    ]);
    // Asked again by the same owner, on a connection that has written nothing, it is not taken for replicated either.
    for (const isRedelivery of [false, true]) {
      const again = redisStore({ client: await opening('ioredis', primary.endpoint), wait });
      expect(await again.acquire([{ ...refused, isRedelivery }])).toMatchObject([
        { status: 'error', error: { code: 'BATCHLATCH_NOT_REPLICATED' } },
      ]);
    }
    const settlement = { end: 'complete', key: 'before', owner: request.owner, retentionMs: 60_000 } as const;
    for (let time = 0; time < 2; time += 1) {
      const again = redisStore({ client: await opening('ioredis', primary.endpoint), wait });
      expect(await again.settle([settlement])).toMatchObject([
        { error: { code: 'BATCHLATCH_NOT_REPLICATED' } },
      ]);
    }

    await primary.kill();
    await toReplica.replicaof('NO', 'ONE');
    const promoted = redisStore({ client: toReplica });
    expect(await promoted.acquire([requestOf('lost'), requestOf('before')])).toMatchObject([
      { status: 'acquired', attempt: 1 }, // the weakness: it was completed
      { status: 'conflict', attempt: 1 },
    ]);
  });
});

describeWith([redis], 'a Redis whose memory is full', () => {
  let server: RedisService;
  beforeAll(async () => void (server = await startRedis()), INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    for (const close of opened.splice(0)) await close();
    await server.stop();
  });

  it('takes no new claims, and stores the ends of those that it has', async () => {
    const client = new Redis(server.endpoint);
    opened.push(() => closeRedis(client));
    const store = redisStore({ client });
    const held = requestOf('held');
    const failed = requestOf('failed');
    await store.acquire([held, failed]);
    await client.config('SET', 'maxmemory', '1mb');
    expect(await store.acquire([requestOf('one'), requestOf('two')])).toMatchObject([
      {
        status: 'error',
        error: { isRetryable: true, message: expect.stringContaining('memory of Redis is full') },
      },
      { status: 'error' },
    ]);
    const { owner } = held;
    expect(await store.extend([{ key: 'held', owner, leaseMs: 60_000, retentionMs: 60_000 }])).toEqual([
      'stored',
    ]);
    expect(
      await store.settle([
        { end: 'complete', key: 'held', owner, retentionMs: 60_000, result: '"x"' },
        { end: 'release', key: 'failed', owner: failed.owner, retentionMs: 60_000, releases: 0 },
      ]),
    ).toEqual(['stored', 'stored']);
    expect(await store.acquire([requestOf('held'), requestOf('failed')])).toMatchObject([
      { status: 'duplicate', result: '"x"' },
      { status: 'error' },
    ]);
    expect(await store.inspect('failed')).toMatchObject({ status: 'FAILED', attempt: 1, releases: 1 });
  });
});

function requestOf(key: string): ClaimRequest {
  return { key, owner: randomUUID(), leaseMs: 30_000, retentionMs: 60_000 };
}

async function completed(store: ClaimStore, key: string): Promise<unknown> {
  const request = requestOf(key);
  await store.acquire([request]);
  return store.settle([{ end: 'complete', key, owner: request.owner, retentionMs: 60_000 }]);
}

async function opening(name: (typeof CLIENTS)[number], url: string): Promise<RedisClient> {
  if (name === 'ioredis') {
    const client = new Redis(url, { maxRetriesPerRequest: 2, disconnectTimeout: 100 });
    client.on('error', () => undefined);
    opened.push(() => closeRedis(client));
    return client;
  }
  const client = await createClient({ url })
    .on('error', () => undefined)
    .connect();
  opened.push(() => client.destroy());
  return client;
}

function asHttp({ port }: RedisService): string {
  return `http://127.0.0.1:${port}`;
}

function asRedis({ endpoint }: Proxy): string {
  return endpoint.replace('http:', 'redis:');
}

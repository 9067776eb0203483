import { closeRedis } from '../../test/support/close-redis.ts';
import { inRedis, type StoreAndAdmin, itself, redisByClock } from '../../test/support/store-and-admin.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Cluster, Redis } from 'ioredis';
import { createCluster } from 'redis';
import type { ClaimRequest } from '../../src/claims/claim-store.ts';
import { checkRedis } from '../../src/stores/redis/index.ts';
import type { RedisClient } from '../../src/stores/redis/redis-client.ts';
import { describeClaimStore } from '../../src/testing/index.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { redis } from '../../test/support/components/redis.ts';
import { rowsOfRedis } from '../../test/support/rows-of-redis.ts';
import { type RedisCluster, startRedisCluster } from './support/redis-cluster.ts';
import { until } from './support/until.ts';

describeWith([redis], 'on a cluster of Redis', () => {
  let cluster: RedisCluster;
  let ioredis: Cluster;
  let nodeRedis: RedisClient & { destroy(): unknown };
  beforeAll(async () => {
    cluster = await startRedisCluster();
    const nodes = cluster.servers.map(({ port }) => ({ host: '127.0.0.1', port }));
    ioredis = new Cluster(nodes, { redisOptions: { maxRetriesPerRequest: 1 } });
    ioredis.on('error', () => undefined);
    nodeRedis = await createCluster({ rootNodes: cluster.servers.map(({ endpoint: url }) => ({ url })) })
      .on('error', () => undefined)
      .connect();
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await closeRedis(ioredis);
    nodeRedis.destroy();
    await cluster.stop();
  });

  describeClaimStore({
    name: 'redisStore on a cluster, by ioredis',
    admin: itself,
    create: (clock) => redisByClock({ client: ioredis }, clock),
    rows: rowsOfRedis(
      () =>
        async ([command = '', ...args]) =>
          ioredis.call(command, args),
      16,
    ),
  });
  describeClaimStore({
    name: 'redisStore on a cluster, by node-redis',
    admin: itself,
    create: (clock) => redisByClock({ client: nodeRedis }, clock),
  });

  const both = () =>
    [
      ['ioredis', ioredis as RedisClient],
      ['node-redis', nodeRedis as RedisClient],
    ] as const;

  it('claims a batch of any size, spread over all nodes', async () => {
    for (const [name, client] of both()) {
      const store = inRedis({ client, prefix: `${name}:` });
      const requests = Array.from({ length: 2_000 }, (_, index) => requestOf(`spread-${index}`));
      const outcomes = await store.acquire(requests);
      expect(outcomes.every(({ status }) => status === 'acquired')).toBe(true);
      const { servers } = await checkRedis(client);
      expect(servers).toHaveLength(3);
      expect(await keysListed(store)).toBe(2_000);
    }
  });

  it('waits for copies on the node that wrote', async () => {
    for (const [name, client] of both()) {
      const store = inRedis({ client, prefix: `${name}-wait:`, wait: { replicas: 0, timeoutMs: 100 } });
      const alone = inRedis({ client, prefix: `${name}-alone:`, wait: { replicas: 1, timeoutMs: 100 } });
      const requests = Array.from({ length: 30 }, (_, index) => requestOf(`waits-${index}`));
      expect((await store.acquire(requests)).every(({ status }) => status === 'acquired')).toBe(true);
      expect((await alone.acquire(requests)).map(codeOf)).toEqual(
        requests.map(() => 'BATCHLATCH_NOT_REPLICATED'),
      );
    }
  });

  it('waits on the node that has taken over a slot', async () => {
    const nodes = cluster.servers.map(({ endpoint }) => new Redis(endpoint));
    const [first, , third] = nodes as [Redis, Redis, Redis];
    const slot = String(await third.cluster('KEYSLOT', '{0}')); // one of the third node's
    const moveTo = async (node: Redis) => {
      const id = await node.cluster('MYID');
      await Promise.all(nodes.map((one) => one.flushall()));
      for (const one of [node, ...nodes]) await one.call('cluster', 'setslot', slot, 'node', id);
    };
    const monitor = await first.monitor();
    const sent: string[] = [];
    monitor.on('monitor', (_time: string, [command = '', ...args]: string[], source: string) => {
      if (/^(eval|wait)/i.test(command)) sent.push(`${command.slice(0, 4).toLowerCase()} by ${source}`);
      else if (args.includes('the end')) sent.push('the end');
    });
    for (const [name, client] of both()) {
      const wait = { replicas: 0, timeoutMs: 100 };
      const store = inRedis({ client, prefix: `${name}-moved:`, slots: 1, wait });
      const before = requestOf('before');
      expect(await store.acquire([before])).toMatchObject([{ status: 'acquired' }]);
      await moveTo(first);
      const request = requestOf('after');
      expect(await store.acquire([request])).toMatchObject([{ status: 'acquired' }]);
      expect(await store.settle([{ ...request, end: 'complete' }])).toEqual(['stored']);
      await first.echo('the end');
      await until('the node has told all', () => sent.at(-1) === 'the end');
      const scripts = sent.splice(0).slice(0, -1);
      const script = scripts.find((one) => one.startsWith('eval')) ?? '';
      const waits = script.replace('eval', 'wait');
      expect(scripts).toEqual(scripts.flatMap((one) => (one === script ? [script, waits] : [])));
      await moveTo(third);
    }
    for (const one of [monitor, ...nodes]) one.disconnect();
  });

  it('fails for the records of a node that is gone, and for no others', async () => {
    const [, , third] = cluster.servers;
    await third?.kill();
    const waits = [{}, { wait: { replicas: 0, timeoutMs: 100 } }];
    for (const [name, client, wait] of both().flatMap((one) =>
      waits.map((wait) => [...one, wait] as const),
    )) {
      const store = inRedis({ client, prefix: `${name}-${'wait' in wait}-gone:`, ...wait });
      const requests = Array.from({ length: 200 }, (_, index) => requestOf(`gone-${index}`));
      const outcomes = await store.acquire(requests);
      const errors = outcomes.filter(({ status }) => status === 'error');
      expect(outcomes.filter(({ status }) => status === 'acquired')).toHaveLength(200 - errors.length);
      expect(errors.length).toBeGreaterThan(20);
      expect(errors.length).toBeLessThan(140);
      for (const { error } of errors as { error: Error }[])
        expect(error).toMatchObject({ isRetryable: true });
    }
  });
});

function requestOf(key: string): ClaimRequest {
  return { key, owner: randomUUID(), leaseMs: 30_000, retentionMs: 60_000 };
}

function codeOf(outcome: unknown): unknown {
  return (outcome as { error?: { code?: unknown } }).error?.code;
}

async function keysListed(store: StoreAndAdmin): Promise<number> {
  const keys = new Set<string>();
  for (let cursor: string | undefined; ;) {
    const page = await store.list({ limit: 500, ...(cursor !== undefined && { cursor }) });
    for (const { key } of page.claims) keys.add(key);
    cursor = page.next;
    if (cursor === undefined) return keys.size;
  }
}

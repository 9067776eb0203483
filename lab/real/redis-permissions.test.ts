import { closeRedis } from '../../test/support/close-redis.ts';
import { itself, redisByClock } from '../../test/support/store-and-admin.ts';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import type { ClaimRequest } from '../../src/claims/claim-store.ts';
import { checkRedis, redisStore } from '../../src/stores/redis/index.ts';
import type { RedisClient } from '../../src/stores/redis/redis-client.ts';
import { describeClaimStore } from '../../src/testing/index.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { redis, type RedisService, startRedis } from '../../test/support/components/redis.ts';
import { until } from './support/until.ts';

const PAGE = readFileSync('docs/stores/redis.md', 'utf8');
/** The rules of the page, as a person copies them. */
const [, FUNCTION = ''] = /ACL SETUSER orders [^\n]* (\+@?evalsha[^\n]*)/i.exec(PAGE) ?? [];
const [, PERSON = ''] = /ACL SETUSER operator [^\n]* (\+@?evalsha[^\n]*)/i.exec(PAGE) ?? [];
/** For the policy of eviction alone. */
const OF_THE_POLICY = '+info';

describeWith([redis], 'a user of Redis with the rights that the page lists', () => {
  let server: RedisService;
  let admin: Redis;
  const opened: (() => unknown)[] = [];
  beforeAll(async () => {
    server = await startRedis();
    admin = new Redis(server.endpoint);
    opened.push(() => closeRedis(admin));
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    for (const close of opened) await close();
    await server.stop();
  });

  describeClaimStore({
    name: 'redisStore by the user of a person',
    admin: itself,
    create: async (clock) => redisByClock({ client: await clientOf(PERSON.split(' ')) }, clock),
  });

  it('is all that a function needs', async () => {
    await everything(await clientOf(FUNCTION.split(' ')));
  });

  it('is no more than a function needs', async () => {
    const rules = FUNCTION.split(' ').filter((rule) => rule !== OF_THE_POLICY);
    expect(rules.length).toBeGreaterThan(6);
    for (const missing of rules) {
      const client = await clientOf(rules.filter((rule) => rule !== missing));
      const command = missing.slice(1).toUpperCase();
      await expect(everything(client)).rejects.toMatchObject({
        code: 'BATCHLATCH_ACCESS_DENIED',
        message: expect.stringContaining(command),
      });
    }
  });

  it('is not allowed other keys', async () => {
    const client = await clientOf(FUNCTION.split(' '));
    const store = redisStore({ client, prefix: 'another:' });
    const [outcome] = await store.acquire([requestOf('x')]);
    expect(outcome).toMatchObject({
      status: 'error',
      error: { code: 'BATCHLATCH_ACCESS_DENIED', message: expect.stringContaining('keys of the claims') },
    });
  });

  it('is told so where it has the wrong password, or none', async () => {
    await admin.call('acl', 'setuser', 'default', 'resetpass', '>secret');
    try {
      for (const url of [server.endpoint, server.endpoint.replace('//', '//default:hunter2@')]) {
        const client = new Redis(url, { retryStrategy: () => null, maxRetriesPerRequest: 0 });
        client.on('error', () => undefined);
        opened.push(() => closeRedis(client));
        const [outcome] = await redisStore({ client }).acquire([requestOf('x')]);
        expect(outcome).toMatchObject({ status: 'error' });
        expect(String((outcome as { error: Error }).error)).not.toContain('hunter2');
      }
      const bare = new Redis(server.endpoint, { enableReadyCheck: false, disableClientInfo: true });
      bare.on('error', () => undefined);
      opened.push(() => closeRedis(bare));
      expect(await redisStore({ client: bare }).acquire([requestOf('x')])).toMatchObject([
        { error: { code: 'BATCHLATCH_CREDENTIALS', isRetryable: false } },
      ]);
    } finally {
      await admin.call('acl', 'setuser', 'default', 'nopass');
    }
  });

  it('is warned of a server that evicts, once', async () => {
    const client = await clientOf(FUNCTION.split(' '));
    const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    await admin.config('SET', 'maxmemory-policy', 'volatile-lru');
    try {
      expect(await checkRedis(client)).toMatchObject({
        servers: [{ version: expect.stringMatching(/^\d/), evictionPolicy: 'volatile-lru', replicas: 0 }],
        problems: [{ code: 'BATCHLATCH_EVICTION' }],
      });
      const store = redisStore({ client });
      for (const key of ['one', 'two']) await store.acquire([requestOf(key)]);
      await until('it is warned', () => emitWarning.mock.calls.length > 0);
      expect(emitWarning.mock.calls).toEqual([
        [expect.stringContaining('volatile-lru'), expect.objectContaining({ code: 'BATCHLATCH_EVICTION' })],
      ]);
    } finally {
      emitWarning.mockRestore();
      await admin.config('SET', 'maxmemory-policy', 'noeviction');
    }
    expect(await checkRedis(client)).toMatchObject({ problems: [] });
  });

  async function everything(client: RedisClient): Promise<void> {
    await admin.script('FLUSH');
    const store = redisStore({ client });
    const thrown = (outcome: unknown): unknown => {
      const { error } = Object(outcome) as { error?: Error };
      if (error !== undefined) throw error;
      return outcome;
    };
    const request = requestOf(randomUUID());
    const { key, owner } = request;
    thrown((await store.acquire([{ ...request, leaseMs: 1 }]))[0]);
    thrown((await store.acquire([{ ...request, owner: randomUUID(), isRedelivery: true }]))[0]);
    const again = requestOf(randomUUID());
    thrown((await store.acquire([again]))[0]);
    thrown((await store.start?.([again]))?.[0]);
    thrown((await store.extend([{ ...again }]))[0]);
    thrown((await store.settle([{ end: 'complete', key, owner, retentionMs: 60_000 }]))[0]);
    // One that removes fields of the row that it takes over.
    const failing = requestOf(randomUUID());
    await store.acquire([{ ...failing, recordsStart: true, lockedBy: 'x' }]);
    const error = { name: 'Error', message: 'x' };
    await store.settle([{ end: 'fail', key: failing.key, owner: failing.owner, retentionMs: 60_000, error }]);
    thrown((await store.acquire([{ ...failing, owner: randomUUID() }]))[0]);
    await store.inspect(key);
  }

  async function clientOf(rules: readonly string[]): Promise<RedisClient> {
    const name = `user-${randomUUID()}`;
    await admin.call('acl', 'setuser', name, 'on', '>secret', '~batchlatch:*', ...rules);
    const url = server.endpoint.replace('//', `//${name}:secret@`);
    const client = await createClient({ url, disableClientInfo: true })
      .on('error', () => undefined)
      .connect();
    opened.push(() => client.destroy());
    return client;
  }
});

function requestOf(key: string): ClaimRequest {
  return { key, owner: randomUUID(), leaseMs: 30_000, retentionMs: 60_000 };
}

import { afterAll, beforeAll } from '@jest/globals';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { redisStoreBy } from '../../src/stores/redis/redis-store.ts';
import type { RedisClient } from '../../src/stores/redis/redis-client.ts';
import { describeClaimStore } from '../../src/testing/index.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../support/components/describe-with.ts';
import { redis, type RedisService, startRedis } from '../support/components/redis.ts';

describeWith([redis], 'on Redis', () => {
  let server: RedisService;
  const clients: { ioredis?: Redis; nodeRedis?: RedisClient & { close(): Promise<void> } } = {};
  beforeAll(async () => {
    server = await startRedis();
    clients.ioredis = new Redis(server.endpoint);
    clients.nodeRedis = await createClient({ url: server.endpoint }).connect();
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    clients.ioredis?.disconnect();
    await clients.nodeRedis?.close();
    await server.stop();
  });

  describeClaimStore({
    name: 'redisStore on ioredis',
    create: (clock) => redisStoreBy({ client: clients.ioredis as Redis }, { clock, serverNow: clock.now }),
  });
  describeClaimStore({
    name: 'redisStore on node-redis, in slots',
    create: (clock) =>
      redisStoreBy({ client: clients.nodeRedis as RedisClient, slots: 4 }, { clock, serverNow: clock.now }),
  });
});

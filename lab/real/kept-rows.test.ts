import { redisAdminBy } from '../../src/stores/redis/redis-admin.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { Redis } from 'ioredis';
import { redisStoreBy } from '../../src/stores/redis/redis-store.ts';
import { closeRedis } from '../../test/support/close-redis.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { redis, type RedisService, startRedis } from '../../test/support/components/redis.ts';
import { describeKeptRows } from '../../test/rows/describe-kept-rows.ts';

describeWith([redis], 'on Redis', () => {
  let server: RedisService;
  let client: Redis;
  beforeAll(async () => {
    server = await startRedis();
    client = new Redis(server.endpoint);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await closeRedis(client);
    await server.stop();
  });

  describeKeptRows('redis', async (clock) => {
    const prefix = `${randomUUID()}:`;
    return {
      store: {
        ...redisAdminBy({ client, prefix }, { clock, serverNow: clock.now }),
        ...redisStoreBy({ client, prefix }, { clock, serverNow: clock.now }),
      },
      read: async (key) => client.hgetall(prefix + key),
      put: async (key, row: Record<string, string>) => void (await client.hset(prefix + key, row)),
    };
  });
});

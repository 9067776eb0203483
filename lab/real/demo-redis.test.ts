import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { closeRedis } from '../../test/support/close-redis.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { redis, type RedisService, startRedis } from '../../test/support/components/redis.ts';
import { ALL_WELL, runDemo } from './support/run-demo.ts';

describeWith([redis], 'The demo on Redis', () => {
  let server: RedisService;
  beforeAll(async () => {
    server = await startRedis();
  }, INSTALL_TIMEOUT_MS);
  afterAll(() => server.stop());

  it('charges every order once, and leaves no key behind', async () => {
    const { status, summary, stderr } = await runDemo('--store', 'redis', '--redis-url', server.endpoint);
    expect(summary).toMatchObject({ ...ALL_WELL, takenOver: 1 });
    expect(summary['requestsPerRecord']).toBeLessThan(1);
    expect(stderr).toContain('kills its process before it is charged');
    expect(status).toBe(0);
    const client = new Redis(server.endpoint);
    expect(await client.keys('*')).toEqual([]);
    await closeRedis(client);
  });
});

import { Redis } from 'ioredis';
import { startRedisServer } from '../../local/emulators/redis-server.ts';
import { redisAdminBy } from '../../../src/stores/redis/redis-admin.ts';
import { redisStoreBy } from '../../../src/stores/redis/redis-store.ts';
import { BEFORE_ALL_MS } from './memory.ts';
import type { StoreAdapter } from './replayed-store.ts';

const PREFIX = 'model:';

/** Redis, of this machine or of the tests on real components. It has no transactions with effects: a commit is a completion. */
export async function redisAdapter(): Promise<StoreAdapter> {
  const service = await startRedisServer();
  const client = new Redis(service.endpoint);
  return {
    takesTolerance: true,
    create(clockToleranceMs) {
      let now = BEFORE_ALL_MS;
      const clock = { now: () => now };
      const options = { client, prefix: PREFIX, clockToleranceMs };
      const clocks = { clock, serverNow: clock.now };
      const store = redisStoreBy(options, clocks);
      return {
        store,
        admin: redisAdminBy(options, clocks),
        setTime: (ms) => void (now = ms),
        effectsOf: async () => [],
        remove: async (key) => void (await client.del(`${PREFIX}${key}`)),
        rowOf: (key) => {
          now = BEFORE_ALL_MS;
          return store.inspect(key);
        },
      };
    },
    async stop() {
      client.disconnect();
      await service.stop();
    },
  };
}

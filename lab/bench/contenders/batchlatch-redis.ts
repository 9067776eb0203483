import { redisStore } from 'batchlatch/redis';
import type { MakeBatchHandler } from './contender.ts';
import { processor } from './batchlatch-processor.ts';
import { sharedIoredis, sharedNodeRedis } from './redis-client.ts';

/** With the client that Powertools gets. */
export const batchlatchRedis: MakeBatchHandler = async (setup) =>
  processor(
    setup,
    redisStore({ client: await sharedNodeRedis(setup.endpoint), prefix: `${setup.tableName}:` }),
  );

export const batchlatchIoredis: MakeBatchHandler = (setup) =>
  processor(setup, redisStore({ client: sharedIoredis(setup.endpoint), prefix: `${setup.tableName}:` }));

import { CachePersistenceLayer } from '@aws-lambda-powertools/idempotency/cache';
import type { MakeBatchHandler } from './contender.ts';
import { processor } from './powertools-processor.ts';
import { sharedNodeRedis } from './redis-client.ts';

/** On Redis, with the client that its documentation shows. */
export const powertoolsRedis: MakeBatchHandler = async (setup) =>
  processor(setup, new CachePersistenceLayer({ client: await sharedNodeRedis(setup.endpoint) }));

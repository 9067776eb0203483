import type { ClaimStore } from '../claims/claim-store.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { objectNumber } from '../claims/pass-on.ts';
import {
  aClient,
  anInteger,
  aString,
  type Check,
  checkOptionsOf,
  objectWith,
} from '../options/check-options.ts';
import { conditionalStore } from '../stores/rows/conditional-store.ts';
import { connectionOf, isRedisClient } from '../stores/redis/connection.ts';
import type { RedisClient } from '../stores/redis/redis-client.ts';
import { cacheRows, cacheWriter, type PowertoolsCacheNames } from './cache-writer.ts';

/** Options of `powertoolsCacheStore()`. */
export interface PowertoolsCacheOptions extends PowertoolsCacheNames {
  /** A client of `ioredis` or of `redis` (node-redis) on the server that Powertools uses; one of node-redis has to be connected. */
  readonly client: RedisClient;
  /** How long past its lease a claim is left alone, for clocks that differ. Default 0 ms. */
  readonly clockToleranceMs?: number;
  /** For tests. Default: the system clock. */
  readonly clock?: Clock;
}

const checks: Readonly<Record<keyof PowertoolsCacheOptions, Check>> = {
  client: aClient('a client of `ioredis` or of `redis` (node-redis)', isRedisClient),
  statusAttr: aString(),
  expiryAttr: aString(),
  inProgressExpiryAttr: aString(),
  dataAttr: aString(),
  validationKeyAttr: aString(),
  clockToleranceMs: anInteger(0),
  clock: objectWith('now', 'setTimer'),
};

/** As of `redisStore`: longer results belong elsewhere. */
const MAX_RESULT_BYTES = 1_048_576;

/**
 * Claims in the Redis or Valkey of Powertools' `CachePersistenceLayer`, in its own format, so that both libraries can
 * work on one cache while a service moves over. Use it with `powertoolsKey()` or `powertoolsCallKey()`; what both
 * sides see of each other, and the limits of it, are in docs/migrating-from-powertools.md. For new services
 * `redisStore()` is the better store: it is one call for a batch, and has the operations for people. Throws a
 * `ConfigurationError` for options that cannot work.
 *
 * @param options The client, and what Powertools was told to call its values.
 *
 * @example
 * withIdempotency(charge, { store: powertoolsCacheStore({ client: new Redis() }), key: powertoolsCallKey() });
 */
export function powertoolsCacheStore(options: PowertoolsCacheOptions): ClaimStore {
  checkOptionsOf('powertoolsCacheStore', options, checks);
  const { client, clockToleranceMs = 0, clock = systemClock, ...names } = options;
  const writer = cacheWriter(connectionOf(client), cacheRows(names), clock);
  return {
    ...conditionalStore({ writer, clock, clockToleranceMs }),
    place: `powertools-cache:${objectNumber(client)}`,
    maxResultBytes: MAX_RESULT_BYTES,
  };
}

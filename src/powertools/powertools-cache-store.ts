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
  /** An `ioredis` or connected `redis` (node-redis) client of the server that Powertools uses. */
  readonly client: RedisClient;
  /** How long a claim is left alone after its lease, in milliseconds, for clock skew. Default 0. */
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

/** The limit of `redisStore`. */
const MAX_RESULT_BYTES = 1_048_576;

/**
 * Returns a store of claims in the Redis or Valkey of Powertools' `CachePersistenceLayer`, in its format, so
 * that both libraries can share a cache during a migration. Use it with `powertoolsKey()` or
 * `powertoolsCallKey()`. Its interplay and limits are described in docs/migrating-from-powertools.md. For new
 * services use `redisStore()`: it sends one call for a batch and has an admin. Throws a `ConfigurationError`
 * for invalid options.
 *
 * @param options The client, and the attribute names that Powertools is configured with.
 *
 * @example
 * const store = powertoolsCacheStore({ client: new Redis() });
 * withIdempotency(charge, { store, key: powertoolsCallKey() });
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

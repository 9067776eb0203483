import { randomUUID } from 'node:crypto';
import { systemClock } from '../claims/clock.ts';
import { withCompletionCache } from '../claims/completion-cache.ts';
import { withResultStorage } from '../claims/result-storage.ts';
import { dynamoDBStoreFromEnvironment } from '../stores/dynamodb/store-from-environment.ts';
import type { ClaimOptions } from './options.ts';
import type { CallPorts } from './run-once.ts';

/**
 * The world as it is, but for what the options name. The cache holds pointers to long results, not the results.
 * Throws a `ConfigurationError` where there is no store.
 */
export function defaultPorts({
  store: given,
  clock = systemClock,
  cache,
  resultStorage,
}: Pick<ClaimOptions, 'store' | 'clock' | 'cache' | 'resultStorage'>): CallPorts {
  const store = given ?? dynamoDBStoreFromEnvironment();
  const cached = cache === undefined ? store : withCompletionCache(store, { ...cache, clock });
  return {
    store: resultStorage === undefined ? cached : withResultStorage(cached, resultStorage, { fetch: true }),
    clock,
    random: Math.random,
    newOwner: randomUUID,
  };
}

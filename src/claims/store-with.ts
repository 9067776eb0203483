import type { ClaimStore } from './claim-store.ts';
import type { Clock } from './clock.ts';
import { type CompletionCacheOptions, withCompletionCache } from './completion-cache.ts';
import { type ResultStorage, type ResultStorageUse, withResultStorage } from './result-storage.ts';

export interface StoreAdditions {
  readonly cache?: CompletionCacheOptions | undefined;
  readonly resultStorage?: ResultStorage | undefined;
}

/**
 * The store, behind what the options put before it: the cache holds pointers to long results, not the results. Where
 * results are looked at, pointers are known for what they are also without a storage.
 */
export function storeWith(
  store: ClaimStore,
  { cache, resultStorage }: StoreAdditions,
  clock: Clock,
  use?: ResultStorageUse,
): ClaimStore {
  const cached = cache === undefined ? store : withCompletionCache(store, { ...cache, clock });
  return resultStorage === undefined && use?.fetch !== true
    ? cached
    : withResultStorage(cached, resultStorage, use);
}

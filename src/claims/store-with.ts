import { boundedResultStorage } from './bounded-result-storage.ts';
import { boundedStore } from './bounded-store.ts';
import type { ClaimStore } from './claim-store.ts';
import type { Clock } from './clock.ts';
import { type CompletionCacheOptions, withCompletionCache } from './completion-cache.ts';
import { withDroppedResults } from './dropped-results.ts';
import { type ResultStorage, type ResultStorageUse, withResultStorage } from './result-storage.ts';

export interface StoreAdditions {
  readonly cache?: CompletionCacheOptions | undefined;
  readonly resultStorage?: ResultStorage | undefined;
}

/**
 * The store, behind what the options put before it: the cache holds pointers to long results, not the results. Where
 * results are looked at, pointers are known for what they are also without a storage. Every call of it ends, and a
 * completion is stored whether or not there is room for its result.
 */
export function storeWith(
  store: ClaimStore,
  { cache, resultStorage }: StoreAdditions,
  clock: Clock,
  use?: ResultStorageUse,
): ClaimStore {
  const bounded = boundedStore(store, clock);
  const cached = cache === undefined ? bounded : withCompletionCache(bounded, { ...cache, clock });
  const stored =
    resultStorage === undefined && use?.fetch !== true
      ? cached
      : withResultStorage(cached, resultStorage && boundedResultStorage(resultStorage, clock), use);
  return withDroppedResults(stored);
}

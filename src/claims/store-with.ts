import { boundedStore } from './bounded-store.ts';
import type { ClaimStore } from './claim-store.ts';
import type { Clock } from '../base/clock.ts';
import { withDroppedResults } from './dropped-results.ts';

/**
 * A store as the engine uses it: every call of it ends, and a completion is stored whether or not there is room for its
 * result.
 */
export function storeWith(store: ClaimStore, clock: Clock): ClaimStore {
  return withDroppedResults(boundedStore(store, clock));
}

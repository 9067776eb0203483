import { boundedStore } from './bounded-store.ts';
import type { ClaimStore } from './claim-store.ts';
import type { Clock } from './clock.ts';
import { withDroppedResults } from './dropped-results.ts';
import { withResultTexts } from './result-texts.ts';

export interface StoreUse {
  /** Whether results are looked at, as functions do and batches do not. Default false. */
  readonly wantsResults?: boolean;
}

/**
 * A store as the engine uses it: every call of it ends, and a completion is stored whether or not there is room for its
 * result. Where results are looked at, duplicates bring them along, and pointers are known for what they are.
 */
export function storeWith(
  store: ClaimStore,
  clock: Clock,
  { wantsResults = false }: StoreUse = {},
): ClaimStore {
  const bounded = boundedStore(store, clock);
  return withDroppedResults(wantsResults ? withResultTexts(bounded) : bounded);
}

import type { ClaimStore } from './claim-store.ts';
import type { OperableStore } from './operable-store.ts';
import type { OperatedStore } from './operated.ts';

/** The property by which a wrapper tells the store behind it. */
export const BEHIND: unique symbol = Symbol.for('batchlatch.storeBehind');

/**
 * A store that does some things in a way of its own and everything else as `store` does: also what not every
 * store can do, and what a class keeps in private fields.
 */
export function decoratedStore(store: ClaimStore, own: Partial<OperableStore & OperatedStore>): ClaimStore {
  // A copy as the target: a proxy may not answer otherwise for an object that is frozen.
  return new Proxy<ClaimStore>(
    { ...store, ...own },
    {
      get(_copy, name) {
        if (name === BEHIND) return storeBehind(store);
        if (Object.hasOwn(own, name)) return Reflect.get(own, name);
        const value: unknown = Reflect.get(store, name, store);
        return typeof value === 'function' ? value.bind(store) : value;
      },
      has: (copy, name) => name in copy || name in store,
    },
  );
}

/** The store that keeps the claims: behind `cached`, `resultsIn` and what the engine puts before it. */
export function storeBehind(store: ClaimStore): ClaimStore {
  return (store as { readonly [BEHIND]?: ClaimStore })[BEHIND] ?? store;
}

/** The key of what copies of this package in one process share, on `globalThis` and on a call's context. */
export const SHARED: unique symbol = Symbol.for('batchlatch');

interface Shared {
  /** The processor that uses each default namespace, by the place of the claims. */
  readonly users: Map<string, Map<string, object>>;
  /** Numbers of objects: copies compare the places of stores. */
  readonly numbers: WeakMap<object, number>;
  last: number;
}

/** Returns the state that all copies of this package in this process share. */
export function shared(): Shared {
  const holder = globalThis as { [SHARED]?: Shared };
  return (holder[SHARED] ??= { users: new Map(), numbers: new WeakMap(), last: 0 });
}

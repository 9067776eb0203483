import { defined } from '../base/defined.ts';
import type { ClaimStore } from './claim-store.ts';

/** Returns the place of a store's claims, or a name that is unique to the store in this process. */
export function placeOf(store: ClaimStore): string {
  return store.place ?? `store:${objectNumber(store)}`;
}

export function storeData(
  store: ClaimStore,
): Pick<ClaimStore, 'requestSize' | 'place' | 'maxResultBytes' | 'transacted'> {
  const { requestSize, maxResultBytes, transacted } = store;
  return { place: placeOf(store), ...defined({ requestSize, maxResultBytes, transacted }) };
}

/** Returns all members, for a wrapper. Methods run on the store itself: a class may have private fields. */
export function passOn(store: ClaimStore): ClaimStore {
  const { start, commit } = store;
  return {
    ...storeData(store),
    acquire: (...call) => store.acquire(...call),
    settle: (...call) => store.settle(...call),
    extend: (...call) => store.extend(...call),
    inspect: (key) => store.inspect(key),
    ...(start !== undefined && { start: start.bind(store) }),
    ...(commit !== undefined && { commit: commit.bind(store) }),
  };
}

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

/** Returns a number that is unique to the object in this process, for the `place` of stores on one client. */
export function objectNumber(object: object): number {
  const state = shared();
  const { numbers } = state;
  const known = numbers.get(object);
  if (known !== undefined) return known;
  state.last += 1;
  numbers.set(object, state.last);
  return state.last;
}

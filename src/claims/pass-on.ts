import type { ClaimStore } from './claim-store.ts';

/** Where a store keeps its claims: what it says, or else a name that this process gives it. */
export function placeOf(store: ClaimStore): string {
  return store.place ?? `store:${objectNumber(store)}`;
}

/** What a store says of itself, for a store before it to say too. */
export function storeData(
  store: ClaimStore,
): Pick<ClaimStore, 'requestSize' | 'place' | 'maxResultBytes' | 'transacted'> {
  const { requestSize, maxResultBytes, transacted } = store;
  return {
    place: placeOf(store),
    ...(requestSize !== undefined && { requestSize }),
    ...(maxResultBytes !== undefined && { maxResultBytes }),
    ...(transacted !== undefined && { transacted }),
  };
}

/**
 * Everything that a store says and does, by name, for a wrapper that replaces some of it. The methods are called on the
 * store itself: a class may keep private fields.
 */
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

const numbers = new WeakMap<object, number>();
let last = 0;

/** A number that no other object of this process has: for `ClaimStore.place`, of who shares a client. */
export function objectNumber(object: object): number {
  const known = numbers.get(object);
  if (known !== undefined) return known;
  last += 1;
  numbers.set(object, last);
  return last;
}

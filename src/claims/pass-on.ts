import type { ClaimStore } from './claim-store.ts';

/** Returns the place of a store's claims, or a name that is unique to the store in this process. */
export function placeOf(store: ClaimStore): string {
  return store.place ?? `store:${objectNumber(store)}`;
}

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

const OBJECTS: unique symbol = Symbol.for('batchlatch.objects');

/** The numbers of objects. Copies of this package share them, because they compare the places of stores. */
interface Numbered {
  readonly numbers: WeakMap<object, number>;
  last: number;
}

/** Returns a number that is unique to the object in this process, for the `place` of stores on one client. */
export function objectNumber(object: object): number {
  const shared = globalThis as { [OBJECTS]?: Numbered };
  const numbered = (shared[OBJECTS] ??= { numbers: new WeakMap(), last: 0 });
  const known = numbered.numbers.get(object);
  if (known !== undefined) return known;
  numbered.last += 1;
  numbered.numbers.set(object, numbered.last);
  return numbered.last;
}

import { defined } from '../base/defined.ts';
import { shared } from '../base/shared.ts';
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

import { objectNumber } from '../base/object-number.ts';
import type { ClaimStore } from './claim-store.ts';
import { TRANSACTED, type TransactedStore } from './transacted.ts';

type AnyStore = ClaimStore & Partial<TransactedStore>;

/** Where a store keeps its claims: what it says, or else a name that this process gives it. */
export function placeOf(store: ClaimStore): string {
  return store.place ?? `store:${objectNumber(store)}`;
}

/** What a store says of itself, for a store before it to say too. */
export function storeData(store: AnyStore): Pick<ClaimStore, 'requestSize' | 'place' | 'maxResultBytes'> {
  const { requestSize, maxResultBytes, [TRANSACTED]: transacted } = store;
  return {
    place: placeOf(store),
    ...(requestSize !== undefined && { requestSize }),
    ...(maxResultBytes !== undefined && { maxResultBytes }),
    ...(transacted !== undefined && { [TRANSACTED]: transacted }),
  };
}

/**
 * Everything that a store says and does, by name, for a wrapper that replaces some of it. The methods are called on the
 * store itself: a class may keep private fields.
 */
export function passOn(store: AnyStore): ClaimStore {
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

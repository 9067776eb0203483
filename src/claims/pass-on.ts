import type { ClaimStore } from './claim-store.ts';
import { BEHIND, storeBehind } from './decorated-store.ts';
import type { OperableStore } from './operable-store.ts';
import { OPERATED, type OperatedStore } from './operated.ts';
import { TRANSACTED, type TransactedStore } from './transacted.ts';

type AnyStore = ClaimStore & Partial<OperableStore & OperatedStore & TransactedStore>;

/** What a store says of itself, for a store before it to say too. */
export function storeData(store: AnyStore): Pick<ClaimStore, 'requestSize' | 'place' | 'maxResultBytes'> {
  const { requestSize, place, maxResultBytes, [TRANSACTED]: transacted } = store;
  const behind = { [BEHIND]: storeBehind(store) };
  return {
    ...behind,
    ...(requestSize !== undefined && { requestSize }),
    ...(place !== undefined && { place }),
    ...(maxResultBytes !== undefined && { maxResultBytes }),
    ...(transacted !== undefined && { [TRANSACTED]: transacted }),
  };
}

/**
 * Everything that a store says and does, by name, for a wrapper that replaces some of it. The methods are called on the
 * store itself: a class may keep private fields.
 */
export function passOn(store: AnyStore): ClaimStore {
  const { start, commit, list, count, operate, adopt, [OPERATED]: operated } = store;
  return {
    ...storeData(store),
    acquire: (...call) => store.acquire(...call),
    settle: (...call) => store.settle(...call),
    extend: (...call) => store.extend(...call),
    inspect: (key) => store.inspect(key),
    ...(start !== undefined && { start: start.bind(store) }),
    ...(commit !== undefined && { commit: commit.bind(store) }),
    ...(list !== undefined && { list: list.bind(store) }),
    ...(count !== undefined && { count: count.bind(store) }),
    ...(operate !== undefined && { operate: operate.bind(store) }),
    ...(adopt !== undefined && { adopt: adopt.bind(store) }),
    ...(operated !== undefined && { [OPERATED]: operated.bind(store) }),
  };
}

import type { ClaimStore } from './claim-store.ts';
import { isOperableStore, type OperableStore } from './operable-store.ts';

/** What people do with the claims of a store. */
export type Operations = Pick<OperableStore, 'list' | 'count' | 'operate' | 'adopt'>;

/** Makes operations of the rows of a store; `kind` says what the rows are. */
type Operator = (kind: string, rows: unknown) => Operations;

/**
 * The method by which a store hands its rows to an operator. The code for what people do comes with `batchlatch/operations`
 * and not with the store: no function needs it.
 */
export const OPERATED: unique symbol = Symbol.for('batchlatch.operated');

/** A store that leaves what people do to an operator. */
export interface OperatedStore extends ClaimStore {
  [OPERATED](operator: Operator): Operations;
}

/** Whether a store leaves what people do to an operator. */
export function isOperated(store: ClaimStore): store is OperatedStore {
  return OPERATED in store;
}

/**
 * Whether people can do something with the claims of a store: by its own methods, or by those of an operator.
 *
 * @param store A claim store, as it is or wrapped.
 */
export function isOperable(store: ClaimStore): boolean {
  return isOperableStore(store) || isOperated(store);
}

/** The operations of an operator on a store, but what the store does in a way of its own. */
export function operationsOf(store: OperatedStore & Partial<Operations>, operator: Operator): Operations {
  const { list, count, operate, adopt } = store;
  return {
    ...store[OPERATED](operator),
    ...(list !== undefined && { list: list.bind(store) }),
    ...(count !== undefined && { count: count.bind(store) }),
    ...(operate !== undefined && { operate: operate.bind(store) }),
    ...(adopt !== undefined && { adopt: adopt.bind(store) }),
  };
}

/** For a wrapper: the operations of the store behind it, with some in the wrapper's own way. */
export function operatedAs(
  store: ClaimStore,
  own: (operations: Operations) => Partial<Operations>,
): Partial<OperableStore & OperatedStore> {
  if (isOperableStore(store)) return own(store);
  if (!isOperated(store)) return {};
  return {
    [OPERATED](operator) {
      const operations = operationsOf(store, operator);
      return { ...operations, ...own(operations) };
    },
  };
}

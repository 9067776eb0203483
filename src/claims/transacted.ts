import type { ClaimStore } from './claim-store.ts';
import { isObject } from '../base/is-object.ts';

/** The rows of a store, for who writes them in a transaction of the user's. */
interface TransactedRows {
  /** What the rows are: `postgres`. */
  readonly kind: string;
  /** The table and the way to it, as the store of this kind knows them. */
  readonly rows: unknown;
}

/**
 * The property by which a store tells where its rows are, so that a completion can be written in a transaction of the user's. It
 * is there through wrappers too. The code for such transactions comes with the function that makes them, not with the store.
 */
export const TRANSACTED: unique symbol = Symbol.for('batchlatch.transacted');

/** A store whose rows can be written in a transaction of the user's. */
export interface TransactedStore extends ClaimStore {
  readonly [TRANSACTED]: TransactedRows;
}

/** Where the rows of a store are; undefined for a store that does not tell, or that keeps others. */
export function transactedRows(store: ClaimStore, kind: string): unknown {
  const told = (store as Partial<TransactedStore>)[TRANSACTED];
  return isObject(told) && told.kind === kind ? told.rows : undefined;
}

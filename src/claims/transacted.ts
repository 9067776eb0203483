import { isObject } from '../base/is-object.ts';
import type { ClaimStore } from './claim-store.ts';

/** Returns the rows of a store for transactions; undefined if the store has none of this kind. */
export function transactedRows({ transacted }: ClaimStore, kind: string): unknown {
  return isObject(transacted) && transacted.kind === kind ? transacted.rows : undefined;
}

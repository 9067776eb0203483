import { isObject } from '../base/is-object.ts';
import type { ClaimStore } from './claim-store.ts';

/** Where the rows of a store are; undefined for a store that does not tell, or that keeps others. */
export function transactedRows({ transacted }: ClaimStore, kind: string): unknown {
  return isObject(transacted) && transacted.kind === kind ? transacted.rows : undefined;
}

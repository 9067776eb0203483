import type { OperableStore } from '../../claims/operable-store.ts';
import { adoptClaims } from './adopt.ts';
import { countClaims, listClaims } from './list.ts';
import { type OperateSetup, operateOnRows } from './operate.ts';
import type { RowLister } from './row-lister.ts';

export interface OperableSetup<Row> extends OperateSetup<Row> {
  /** Made for each call, so that it can count what the call costs. */
  readonly lister: () => RowLister<Row>;
}

/** What people can do with a store that decides by the state machine and writes on conditions, whatever its rows are. */
export function operableStore<Row>(
  setup: OperableSetup<Row>,
): Pick<OperableStore, 'list' | 'count' | 'operate' | 'adopt'> {
  const { operator, clock } = setup;
  const listing = () => ({ lister: setup.lister(), clock, toClaim: (row: Row) => operator.toClaim(row) });
  return {
    list: async (query, { signal } = {}) => listClaims(query, listing(), signal),
    count: async (query, { signal } = {}) => countClaims(query, listing(), signal),
    adopt: (claims, { signal } = {}) => adoptClaims(claims, setup, signal),
    operate: (operations, { signal } = {}) => operateOnRows(operations, setup, signal),
  };
}

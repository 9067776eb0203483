import type { ClaimAdmin } from '../../claims/claim-admin.ts';
import { adoptClaims } from './adopt.ts';
import { countClaims, listClaims } from './list.ts';
import { type OperateSetup, operateOnRows } from './operate.ts';
import { readClaim } from './read-claim.ts';
import type { RowLister } from './row-lister.ts';

interface AdminSetup<Row> extends OperateSetup<Row> {
  /** Made for each call, so that it can count what the call costs. */
  readonly lister: () => RowLister<Row>;
}

/** An admin that takes claims of other stores. */
export type RowsAdmin = Required<Omit<ClaimAdmin, 'requestSize'>>;

/** What people do in a store that decides by the state machine and writes on conditions, whatever its rows are. */
export function adminOfRows<Row>(setup: AdminSetup<Row>): RowsAdmin {
  const { operator, clock } = setup;
  const listing = () => ({ lister: setup.lister(), clock, toClaim: (row: Row) => operator.toClaim(row) });
  return {
    list: async (query, { signal } = {}) => listClaims(query, listing(), signal),
    count: async (query, { signal } = {}) => countClaims(query, listing(), signal),
    read: (key, { signal } = {}) => readClaim(key, operator, clock, signal),
    adopt: (claims, { signal } = {}) => adoptClaims(claims, setup, signal),
    change: (changes, { signal } = {}) => operateOnRows(changes, setup, signal),
  };
}

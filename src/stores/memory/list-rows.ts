import type { ClaimCount, ClaimCountQuery, ClaimPage, ClaimQuery } from '../../claims/claim-admin.ts';
import { checkedQuery, isAskedFor, notACursor, positionIn, toCursor } from '../../claims/claim-query.ts';
import type { Claim } from '../../claims/claim.ts';
import { leavingOut } from '../../claims/left-out.ts';
import { statusIn } from '../../claims/row-format.ts';

/** Returns the next page of a query, ordered by key, so that writes between pages do not change the order. */
export function pageOf(rows: ReadonlyMap<string, Claim>, query: ClaimQuery, now: number): ClaimPage {
  const checked = checkedQuery(query);
  const after = query.cursor === undefined ? undefined : positionIn(query.cursor, checked);
  if (after !== undefined && typeof after !== 'string') throw notACursor();
  const keys = [...rows.keys()].filter((key) => after === undefined || key > after).sort(); // by code units
  const claims: Claim[] = [];
  const leftOut = leavingOut();
  let rowsRead = 0;
  let last: string | undefined;
  for (const key of keys) {
    if (claims.length === checked.limit) break;
    rowsRead += 1;
    last = key;
    const claim = rows.get(key) as Claim;
    try {
      statusIn(claim.status, key);
      if (isAskedFor(claim, checked, now)) claims.push({ ...claim });
    } catch (thrown) {
      if (key.startsWith(checked.keyPrefix)) leftOut.note(thrown);
    }
  }
  const isLast = rowsRead === keys.length;
  return {
    claims,
    readBy: 'scan',
    rowsRead,
    ...leftOut.of(),
    ...(!isLast && last !== undefined && { next: toCursor(checked, last) }),
  };
}

/** Counts all claims of a state in one page. */
export function countIn(
  rows: ReadonlyMap<string, Claim>,
  { state, cursor }: ClaimCountQuery,
  now: number,
): ClaimCount {
  const checked = checkedQuery({ state });
  if (cursor !== undefined) positionIn(cursor, checked);
  const claims = [...rows.values()].filter((claim) => isAskedFor(claim, checked, now));
  const oldest = claims.reduce((earliest, { leaseUntil }) => Math.min(earliest, leaseUntil), Infinity);
  return {
    count: claims.length,
    readBy: 'scan',
    rowsRead: rows.size,
    ...(state === 'overdue' && claims.length > 0 && { oldestLeaseUntil: oldest }),
  };
}

import type { StopSignal } from '../../base/stop.ts';
import type { Claim } from '../../claims/claim.ts';
import {
  type CheckedQuery,
  checkedQuery,
  isAskedFor,
  positionIn,
  toCursor,
} from '../../claims/claim-query.ts';
import type { Clock } from '../../base/clock.ts';
import { type LeftOut, leavingOut } from '../../claims/left-out.ts';
import type { ClaimCount, ClaimCountQuery, ClaimPage, ClaimQuery } from '../../claims/claim-admin.ts';
import type { RowLister, RowQuery } from './row-lister.ts';

interface ListSetup<Row> {
  readonly lister: RowLister<Row>;
  readonly clock: Pick<Clock, 'now'>;
  /** Throws a `StoreError` for a row that is not a claim (`BATCHLATCH_NOT_A_CLAIM`) or has a newer format. */
  readonly toClaim: (row: Row) => Claim;
}

/** Returns a page of claims. The database finds rows; `claimOf` decides from their content which match. */
export async function listClaims<Row>(
  query: ClaimQuery,
  setup: ListSetup<Row>,
  signal?: StopSignal,
): Promise<ClaimPage> {
  const checked = checkedQuery(query);
  const judge = judging(checked, setup);
  const page = await setup.lister.list(judge.query, positionOf(query, checked), signal);
  return { ...withNext(page, checked), ...judge.leftOut() };
}

/** Counts with the lister's own `count` if it supports the state, else by listing up to 1,000 claims. */
export async function countClaims<Row>(
  query: ClaimCountQuery,
  setup: ListSetup<Row>,
  signal?: StopSignal,
): Promise<ClaimCount> {
  const { lister } = setup;
  const checked = checkedQuery({ state: query.state, limit: 1_000 });
  const position = positionOf(query, checked);
  const judge = judging(checked, setup);
  const counted = await lister.count?.(judge.query, position, signal);
  if (counted !== undefined) return withNext(counted, checked);
  const { claims, ...reading } = withNext(await lister.list(judge.query, position, signal), checked);
  return {
    ...reading,
    ...judge.leftOut(),
    count: claims.length,
    ...(query.state === 'overdue' && oldestOf(claims)),
  };
}

function positionOf({ cursor }: { readonly cursor?: string }, checked: CheckedQuery): unknown {
  return cursor === undefined ? undefined : positionIn(cursor, checked);
}

/** Adds `claimOf` to the query. It records unreadable rows, so that one of them cannot hide the rest. */
function judging<Row>(
  checked: CheckedQuery,
  { clock, toClaim }: ListSetup<Row>,
): { readonly query: RowQuery<Row>; readonly leftOut: () => LeftOut } {
  const now = clock.now();
  const leftOut = leavingOut();
  const claimOf = (row: Row): Claim | undefined => {
    try {
      const claim = toClaim(row);
      return isAskedFor(claim, checked, now) ? claim : undefined;
    } catch (thrown) {
      leftOut.note(thrown);
      return undefined;
    }
  };
  return { query: { ...checked, now, claimOf }, leftOut: leftOut.of };
}

/** Replaces the position by a cursor. */
function withNext<Page extends { readonly position?: unknown }>(
  { position, ...page }: Page,
  checked: CheckedQuery,
): Omit<Page, 'position'> & { readonly next?: string } {
  return position === undefined ? page : { ...page, next: toCursor(checked, position) };
}

function oldestOf(claims: readonly Claim[]): { readonly oldestLeaseUntil?: number } {
  if (claims.length === 0) return {};
  return { oldestLeaseUntil: Math.min(...claims.map(({ leaseUntil }) => leaseUntil)) };
}

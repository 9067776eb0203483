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
  /** Throws a `StoreError` for a row that is none (`BATCHLATCH_NOT_A_CLAIM`), or of a newer format. */
  readonly toClaim: (row: Row) => Claim;
}

/** A page of claims: the database reads rows, and each is judged by what is in it. */
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

/** As many claims as one page takes, without giving them: with the database's own means where it has any for the state. */
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

/** The query with a judge of rows, which notes those that are no claims: one of them must not keep a person from the rest. */
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

/** With a cursor in place of the position. */
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

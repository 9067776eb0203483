import type { StopSignal } from '../../base/stop.ts';
import type { Claim } from '../../claims/claim.ts';
import type { ClaimReading, ClaimState } from '../../claims/claim-admin.ts';

/**
 * The listing of rows in a database. Each database finds rows in its own way; `claimOf` decides from the
 * strongly consistent row whether it matches.
 */
export interface RowLister<Row> {
  /** Reads a bounded number of rows from `position`, which an earlier call returned. */
  list(query: RowQuery<Row>, position: unknown, signal?: StopSignal): Promise<RowPage>;
  /** Counts without a limit; undefined if the caller must count this state by listing it. */
  count?(query: RowQuery<Row>, position: unknown, signal?: StopSignal): Promise<RowCount | undefined>;
}

export interface RowQuery<Row> {
  readonly state?: ClaimState;
  readonly keyPrefix: string;
  /** The most claims of a page. */
  readonly limit: number;
  /** In epoch milliseconds. */
  readonly now: number;
  /** Returns the claim if it matches the query. Unreadable rows are recorded. */
  claimOf(row: Row): Claim | undefined;
}

/** `position`: where the next page starts, as JSON; undefined at the end. `list` validates it on return. */
type Reading = Omit<ClaimReading, 'next' | 'unreadable' | 'newer'> & { readonly position?: unknown };

export interface RowPage extends Reading {
  readonly claims: readonly Claim[];
}

export interface RowCount extends Reading {
  readonly count: number;
  readonly oldestLeaseUntil?: number;
}

import type { StopSignal } from '../../base/stop.ts';
import type { Claim } from '../../claims/claim.ts';
import type { ClaimReading, ClaimState } from '../../claims/claim-admin.ts';

/**
 * What a conditional store needs of a database to list claims. Each database finds rows in its own way; what is among the
 * claims that were asked for is decided by `claimOf`, from a row as it is read strongly consistently.
 */
export interface RowLister<Row> {
  /** Reads a bounded number of rows, and goes on from `position`, which another call has given. */
  list(query: RowQuery<Row>, position: unknown, signal?: StopSignal): Promise<RowPage>;
  /** As `list`, without a bound of claims; undefined where this state is counted by listing it. */
  count?(query: RowQuery<Row>, position: unknown, signal?: StopSignal): Promise<RowCount | undefined>;
}

export interface RowQuery<Row> {
  readonly state?: ClaimState;
  readonly keyPrefix: string;
  /** The most claims of a page. */
  readonly limit: number;
  /** In epoch milliseconds. */
  readonly now: number;
  /** The claim of a row, if it is one of those that are looked for; rows that cannot be read are noted. */
  claimOf(row: Row): Claim | undefined;
}

/** `position`: where to go on, as JSON can hold it; undefined at the end. Whoever gives it out checks it when it comes back. */
type Reading = Omit<ClaimReading, 'next' | 'unreadable' | 'newer'> & { readonly position?: unknown };

export interface RowPage extends Reading {
  readonly claims: readonly Claim[];
}

export interface RowCount extends Reading {
  readonly count: number;
  readonly oldestLeaseUntil?: number;
}

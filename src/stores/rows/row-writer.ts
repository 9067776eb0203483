import type { Claim } from '../../claims/claim.ts';
import type { OwnedClaim } from '../../claims/claim-store.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { ClaimChange } from '../../claims/transitions.ts';
import { StoreError } from '../../base/errors.ts';

/**
 * The requests to a database that can write a row on a condition. The database chooses the type of rows.
 *
 * - Each call takes any number of different keys and returns one outcome each, in order; one failure does not
 *   affect the others. If a call rejects, the state of all its rows is unknown.
 * - Each write is atomic together with its condition.
 * - Reads are strongly consistent, and return rows past their retention too.
 * - Aborting `signal` ends retries.
 */
export interface RowWriter<Row> {
  /** Writes each claim if its key has no row. */
  insert(claims: readonly Claim[], signal?: StopSignal): Promise<WriteOutcome<Row>[]>;
  /** Writes claims over rows that were read. */
  replace(replacements: readonly Replacement<Row>[], signal?: StopSignal): Promise<WriteOutcome<Row>[]>;
  /** Changes claims for their owners. */
  change(changes: readonly OwnedChange[], signal?: StopSignal): Promise<WriteOutcome<Row>[]>;
  read(keys: readonly string[], signal?: StopSignal): Promise<ReadOutcome<Row>[]>;
  /** Throws a `StoreError` (`BATCHLATCH_NOT_A_CLAIM`) for a row that is not a claim. */
  toClaim(row: Row): Claim;
}

/** A new claim over a row, written only if the row is still as it was read. */
export interface Replacement<Row> {
  readonly row: Row;
  readonly claim: Claim;
}

/** A change of a row that is IN_PROGRESS with this owner. An undefined field is removed. */
export interface OwnedChange extends OwnedClaim {
  readonly change: ClaimChange;
  /** An extra condition: the row's lease ends no later than this, in epoch milliseconds. */
  readonly leaseUntilAtMost?: number;
}

/** `refused`: the condition did not hold. `row` is set if the database returned it. */
export type WriteOutcome<Row> =
  | { readonly status: 'written' }
  | { readonly status: 'refused'; readonly row?: Row }
  | { readonly status: 'error'; readonly error: Error };

export type ReadOutcome<Row> =
  | { readonly status: 'read'; readonly row?: Row }
  | { readonly status: 'error'; readonly error: Error };

/** `wasResent`: the delete was sent more than once, so an earlier sending may have deleted the row. */
export type DeleteOutcome<Row> = WriteOutcome<Row> & { readonly wasResent?: boolean };

export function noOutcome(): StoreError {
  return new StoreError('The database returned no outcome for a row', { isRetryable: true });
}

import type { Claim } from '../../claims/claim.ts';
import type { OwnedClaim } from '../../claims/claim-store.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { ClaimChange } from '../../claims/transitions.ts';
import { StoreError } from '../../base/errors.ts';

/**
 * What a conditional store needs of a database that can write a row on a condition. A `Row` is whatever the database gives
 * for one, read as a claim by `toClaim`.
 *
 * - Each call takes any number of rows, no key twice, and answers one outcome each, in order; one that fails never fails
 *   the others. A call that rejects says nothing of any of them.
 * - Each write is atomic together with its condition.
 * - Reads see every write that was answered before (strongly consistent), also rows that are past their retention.
 * - `signal`, once aborted, ends retries.
 */
export interface RowWriter<Row> {
  /** Writes each claim unless its key has a row. */
  insert(claims: readonly Claim[], signal?: StopSignal): Promise<WriteOutcome<Row>[]>;
  /** Writes claims over rows that were read. */
  replace(replacements: readonly Replacement<Row>[], signal?: StopSignal): Promise<WriteOutcome<Row>[]>;
  /** Changes claims for their owners. */
  change(changes: readonly OwnedChange[], signal?: StopSignal): Promise<WriteOutcome<Row>[]>;
  read(keys: readonly string[], signal?: StopSignal): Promise<ReadOutcome<Row>[]>;
  /** Throws a `StoreError` (`BATCHLATCH_NOT_A_CLAIM`) for a row that is none. */
  toClaim(row: Row): Claim;
}

/** A new claim in place of a row, on the condition that the row is still as it was read. */
export interface Replacement<Row> {
  readonly row: Row;
  readonly claim: Claim;
}

/** A change of some fields, on the condition that the row is IN_PROGRESS and of this owner. An undefined field is removed. */
export interface OwnedChange extends OwnedClaim {
  readonly change: ClaimChange;
  /** A condition besides: the row's lease ends no later than this, in epoch milliseconds. */
  readonly leaseUntilAtMost?: number;
}

/** `refused`: the condition did not hold. Its row is given where the database sent it along. */
export type WriteOutcome<Row> =
  | { readonly status: 'written' }
  | { readonly status: 'refused'; readonly row?: Row }
  | { readonly status: 'error'; readonly error: Error };

export type ReadOutcome<Row> =
  | { readonly status: 'read'; readonly row?: Row }
  | { readonly status: 'error'; readonly error: Error };

/** `wasResent`: the delete was sent more than once, so that an earlier sending of it may be why the row is gone. */
export type DeleteOutcome<Row> = WriteOutcome<Row> & { readonly wasResent?: boolean };

/** The database returned fewer answers than rows. */
export function noOutcome(): StoreError {
  return new StoreError('The database returned no outcome for a row', { isRetryable: true });
}

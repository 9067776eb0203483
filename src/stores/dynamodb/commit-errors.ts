import { BatchlatchError } from '../../base/errors.ts';
import type { CommitValues } from './commit-item.ts';

/** An item whose condition did not hold. */
export interface CommitRefusal {
  /** The item's index in the list passed to `commit`, from 0. */
  readonly index: number;
  /** DynamoDB's code: `ConditionalCheckFailed`. */
  readonly code: string;
  /** The stored item, if `ReturnValuesOnConditionCheckFailure: 'ALL_OLD'` asked for it. */
  readonly item?: CommitValues;
}

/**
 * The items of `commit` do not fit a transaction, or contain the claim's own row. Nothing was sent. Code:
 * `BATCHLATCH_COMMIT_ITEMS`.
 *
 * @remarks Correct the entry in the message.
 */
export class CommitItemsError extends BatchlatchError {
  override name = 'CommitItemsError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param message What is wrong with the items.
   */
  constructor(message: string) {
    super('BATCHLATCH_COMMIT_ITEMS', message);
  }
}

/**
 * A condition of the handler's own items did not hold (`reasons`). Nothing was written, and the claim is
 * still held. Code: `BATCHLATCH_COMMIT_REFUSED`.
 *
 * @remarks Commit other items, return without an effect, or throw.
 */
export class CommitRefusedError extends BatchlatchError {
  override name = 'CommitRefusedError';
  /** A reason for each item whose condition did not hold. */
  readonly reasons: readonly CommitRefusal[];

  /**
   * Creates the error; in tests, return it from `onCommit` of `memoryStore`.
   *
   * @param reasons One for each item whose condition did not hold.
   */
  constructor(reasons: readonly CommitRefusal[]) {
    const shown = reasons.map(({ index, code }) => `item ${index}: ${code}`).join(', ');
    super(
      'BATCHLATCH_COMMIT_REFUSED',
      `The transaction was refused and nothing is written (${shown}): commit other items, or throw`,
    );
    this.reasons = reasons;
  }
}

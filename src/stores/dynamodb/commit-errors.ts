import { BatchlatchError } from '../../base/errors.ts';
import type { CommitValues } from './commit-item.ts';

/** Why one of the items kept the transaction from being done. */
export interface CommitRefusal {
  /** Of the item among those that were handed over, from 0. */
  readonly index: number;
  /** DynamoDB's: `ConditionalCheckFailed`. */
  readonly code: string;
  /** The item as it is stored, where `ReturnValuesOnConditionCheckFailure: 'ALL_OLD'` asked for it. */
  readonly item?: CommitValues;
}

/** `commit` was given what no transaction can hold (`BATCHLATCH_COMMIT_ITEMS`). Nothing was sent. */
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
 * A condition of the handler's own items did not hold (`BATCHLATCH_COMMIT_REFUSED`). Nothing was written, and the
 * claim is still the attempt's: the handler may commit something else, return without an effect, or throw.
 */
export class CommitRefusedError extends BatchlatchError {
  override name = 'CommitRefusedError';
  /** One for each item whose condition did not hold. */
  readonly reasons: readonly CommitRefusal[];

  /**
   * Made by batchlatch, and by tests as what `onCommit` of `memoryStore` returns.
   *
   * @param reasons One for each item whose condition did not hold.
   */
  constructor(reasons: readonly CommitRefusal[]) {
    const shown = reasons.map(({ index, code }) => `item ${index}: ${code}`).join(', ');
    super('BATCHLATCH_COMMIT_REFUSED', `The transaction was refused and nothing is written (${shown})`);
    this.reasons = reasons;
  }
}

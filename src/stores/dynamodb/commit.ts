import { type AttemptContext, attemptOf } from '../../claims/attempt-handle.ts';
import type { CommitItem } from './commit-item.ts';
import { commitWithCompletion } from './commit-with-completion.ts';
import type { TransactEffect } from './dynamodb-store.ts';

/** What can be given with a commit. */
export interface CommitOptions {
  /** Kept as JSON with the completion, in place of what the handler returns. Default: nothing is kept. */
  readonly result?: unknown;
}

/**
 * Writes the items and the completion of this attempt's claim in one DynamoDB transaction, on the condition that the
 * claim is still this attempt's: both exist afterwards, or neither, also when another attempt took over. Then the
 * record is completed with `result`, whatever the handler does next; what it returns is not kept, and what it throws
 * is reported to the observer (`failedAfterCommit`). 1 to 99 items, once per run; await it.
 *
 * `items` are what `TransactWriteCommandInput['TransactItems']` of `@aws-sdk/lib-dynamodb` holds.
 *
 * Rejects with a `CommitRefusedError` when a condition of the items did not hold: nothing is written, and
 * the handler may commit something else, throw, or return without an effect. With a `CommitItemsError`,
 * before anything is sent, when no transaction can hold the items. With a `LeaseLostError` when the claim is
 * another attempt's. With a `StoreError` when the store failed: the record then fails, also when the handler
 * goes on, unless the row shows that the transaction was written. With a `ConfigurationError` where the claim store
 * has no transactions, or `context` is not the one that the handler was given.
 *
 * The store of the processor has to be `dynamoDBStore`, which it is by default; in tests of handlers,
 * `memoryStore({ onCommit })` hands the items to a function of the test.
 *
 * @param context The context that the handler was given.
 * @param items What is written together with the completion.
 * @param options The result that the completion keeps.
 *
 * @example
 * createBatchProcessor<Order>(async ({ body }, context) => {
 *   await commit(context, [{ Put: { TableName: 'orders', Item: { ...body } } }], { result: { status: 'stored' } });
 * });
 */
export async function commit(
  context: AttemptContext,
  items: readonly CommitItem[] | undefined,
  options: CommitOptions = {},
): Promise<void> {
  const attempt = attemptOf(context, 'commit of batchlatch/dynamodb');
  await attempt.completeWith(transactEffect(items), options.result);
}

/** An effect for `ClaimStore.commit` of `dynamoDBStore`. */
export function transactEffect(items: unknown): TransactEffect {
  return {
    kind: 'dynamodb',
    content: items,
    write: (completion, setup, signal) => commitWithCompletion(completion, items, setup, signal),
  };
}

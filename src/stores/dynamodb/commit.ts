import { isObject } from '../../base/is-object.ts';
import { type AttemptContext, attemptOf } from '../../claims/attempt-handle.ts';
import type { CommitItem } from './commit-item.ts';
import { commitWithCompletion } from './commit-with-completion.ts';
import type { TransactEffect } from './dynamodb-store.ts';

/** Options of `commit()`. */
export interface CommitOptions {
  /** The result stored as JSON with the completion, in place of the handler's. Default: none. */
  readonly result?: unknown;
}

/**
 * Writes items and the completion of this attempt's claim in one DynamoDB transaction, if the claim is still
 * this attempt's. Afterwards both exist or neither, even when another attempt took over. The record is then
 * completed with `result`, whatever the handler does next: its return value is discarded, and an error it
 * throws is reported to the observer (`failedAfterCommit`). Takes 1 to 99 items, once per run; await it.
 *
 * `items` are entries of `TransactWriteCommandInput['TransactItems']` of `@aws-sdk/lib-dynamodb`, or promises
 * of them, such as `outbox.message(…)` of `batchlatch/outbox`.
 *
 * Rejects with one of these errors:
 *
 * - `CommitRefusedError`: a condition of the items did not hold. Nothing is written, and the handler may
 *   commit other items, return or throw.
 * - `CommitItemsError`: the items are invalid. Nothing is sent.
 * - `LeaseLostError`: the claim is another attempt's.
 * - The error of an item's promise. Nothing is sent, and the handler may commit other items.
 * - `StoreError`: the store failed. The record then fails, even if the handler goes on, unless its row shows
 *   that the transaction was written.
 * - `ConfigurationError`: the claim store has no transactions, or `context` is not the handler's. An HTTP
 *   handler's is undefined if the request has no key to claim.
 *
 * The store must be `dynamoDBStore`, the default. In tests, use `memoryStore({ onCommit })`.
 *
 * @param context The context passed to the handler.
 * @param items The items to write together with the completion.
 * @param options The result to store with the completion.
 *
 * @example
 * createBatchProcessor<Order>(async ({ body }, context) => {
 *   const items = [{ Put: { TableName: 'orders', Item: { ...body } } }];
 *   await commit(context, items, { result: { status: 'stored' } });
 * });
 */
export async function commit(
  context: AttemptContext | undefined,
  items: readonly (CommitItem | PromiseLike<CommitItem>)[] | undefined,
  options: CommitOptions = {},
): Promise<void> {
  const all = Array.isArray(items) && items.some(isPromise) ? Promise.all(items) : undefined;
  all?.catch(() => undefined); // if the commit is not allowed, nobody awaits them
  const attempt = attemptOf(context, 'commit of batchlatch/dynamodb');
  if (all === undefined) return attempt.completeWith(transactEffect(items), options.result);
  return attempt.transact(async ({ complete }) => complete(transactEffect(await all), options.result));
}

function isPromise(item: unknown): boolean {
  return isObject(item) && 'then' in item;
}

/** Creates the effect that `commit` of `dynamoDBStore` writes. */
export function transactEffect(items: unknown): TransactEffect {
  return {
    kind: 'dynamodb',
    content: items,
    write: (completion, setup, signal) => commitWithCompletion(completion, items, setup, signal),
  };
}

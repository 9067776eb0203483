import type { ClaimStore } from './claim-store.ts';
import { ConfigurationError } from '../base/errors.ts';

/**
 * Where the context of a handler carries its attempt, for the functions with which stores let a handler commit its
 * effect, such as `commit` of `batchlatch/dynamodb`.
 */
export const ATTEMPT: unique symbol = Symbol.for('batchlatch.attempt');

/** What a store's commit function may do with the attempt behind a context. */
export interface AttemptHandle {
  /** The store that keeps the claim, with what the engine puts before it. */
  readonly store: ClaimStore;
  /** Whether the handler was told to stop, or the time of its invocation is nearly over. Asking is not seeing the signal. */
  readonly isStopped: boolean;
  /**
   * Hands the effect to `ClaimStore.commit`, together with the completion of this attempt's claim, which keeps
   * `result`. Rejects unless both are known to be written.
   *
   * @param effect What is written in one transaction with the completion; each store says what it takes.
   * @param result What the completion keeps, as JSON.
   */
  completeWith(effect: unknown, result: unknown): Promise<void>;
  /**
   * The same for an effect that is done bit by bit, in a transaction of its own: `work` does it, and calls `complete` at its
   * end. The attempt is not settled before `work` has ended, also when the handler does not wait for it. Where `work`
   * rejects and nothing was completed, nothing is: the handler may try again. Once a time, and once a run that completes.
   *
   * @typeParam Result What `work` resolves with.
   * @param work Does the effect and calls `complete` of the transaction at its end.
   */
  transact<Result>(work: (transaction: AttemptTransaction) => Promise<Result>): Promise<Result>;
}

/** What the work of a transaction may do with its attempt. */
export interface AttemptTransaction {
  /**
   * As `completeWith`. After a refusal it may be called again.
   *
   * @param effect What is written together with the completion.
   * @param result What the completion keeps, as JSON.
   */
  complete(effect: unknown, result: unknown): Promise<void>;
  /**
   * Whatever the handler makes of it, its end is not stored as a success, unless a later transaction of this run completes.
   *
   * @param error Why it is not done.
   */
  noteNotDone(error: Error): void;
}

/** The part of a handler's context that a store's commit function uses. */
export interface AttemptContext {
  /** The attempt behind the context. A context that is made by hand, for a test, need not have it. */
  readonly [ATTEMPT]?: AttemptHandle | undefined;
}

/** Throws a `ConfigurationError` that names the function in question where no attempt is behind the context. */
export function attemptOf(context: AttemptContext | undefined, caller: string): AttemptHandle {
  const attempt = (context as AttemptContext | null | undefined)?.[ATTEMPT];
  if (typeof attempt?.completeWith === 'function') return attempt;
  throw new ConfigurationError(
    `Expected the first argument of ${caller} to be the context that the handler was given (by createBatchProcessor, ` +
      'withIdempotencyContext or withHttpIdempotencyContext): there is no attempt behind this one. In a test, run the handler with ' +
      '`memoryStore({ onCommit })`',
  );
}

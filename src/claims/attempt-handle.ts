import type { ClaimStore } from './claim-store.ts';
import { ConfigurationError } from '../base/errors.ts';

/** The property of a handler's context that holds its attempt, for the commit functions of stores. */
export const ATTEMPT: unique symbol = Symbol.for('batchlatch.attempt');

/** The attempt behind a context, for a store's commit function. */
export interface AttemptHandle {
  /** The store of the claim, with the engine's wrapper. */
  readonly store: ClaimStore;
  /** Whether the handler was told to stop or its time is nearly over. Does not count as seeing the signal. */
  readonly isStopped: boolean;
  /**
   * Passes the effect to `ClaimStore.commit`, with the completion of this attempt's claim. Rejects unless
   * both are known to be written.
   *
   * @param effect The effect to write with the completion, in the store's form.
   * @param result The result that the completion keeps, as JSON.
   */
  completeWith(effect: unknown, result: unknown): Promise<void>;
  /**
   * Runs `work`, which does its effect step by step in its own transaction and calls `complete` at the end.
   * The attempt is not settled before `work` has ended, even if the handler does not await it. If `work`
   * rejects and nothing was completed, the handler may try again. One at a time, and one completion per run.
   *
   * @typeParam Result The result of `work`.
   * @param work Does the effect, and calls `complete` of the transaction at its end.
   */
  transact<Result>(work: (transaction: AttemptTransaction) => Promise<Result>): Promise<Result>;
}

/** The part of an attempt that the work of a transaction uses. */
export interface AttemptTransaction {
  /**
   * Like `completeWith`. May be called again after a refusal.
   *
   * @param effect The effect to write with the completion.
   * @param result The result that the completion keeps, as JSON.
   */
  complete(effect: unknown, result: unknown): Promise<void>;
  /**
   * Prevents the handler's end from being stored as a success, unless a later transaction of this run
   * completes.
   *
   * @param error Why the work is not done.
   */
  noteNotDone(error: Error): void;
}

/** The part of a handler's context that a store's commit function uses. */
export interface AttemptContext {
  /** The attempt behind the context. Contexts made by hand, for a test, may lack it. */
  readonly [ATTEMPT]?: AttemptHandle | undefined;
}

/** Returns the attempt of a context. Throws a `ConfigurationError` that names the caller if there is none. */
export function attemptOf(context: AttemptContext | undefined, caller: string): AttemptHandle {
  const attempt = (context as AttemptContext | null | undefined)?.[ATTEMPT];
  if (typeof attempt?.completeWith === 'function') return attempt;
  throw new ConfigurationError(
    `Expected the first argument of ${caller} to be the context that the handler was given: there is no ` +
      'attempt behind this one. In a test, run the handler with `memoryStore({ onCommit })`',
  );
}

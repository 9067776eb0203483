import { ConfigurationError } from './errors.ts';

/**
 * Where the context of a handler carries its attempt, for the functions with which stores let a handler commit its
 * effect, such as `commit` of `batchlatch/dynamodb`.
 */
export const ATTEMPT: unique symbol = Symbol.for('batchlatch.attempt');

/** What a store's commit function may do with the attempt behind a context. */
export interface AttemptHandle {
  /**
   * Hands the effect to `ClaimStore.commit`, together with the completion of this attempt's claim, which keeps
   * `result`. Rejects unless both are known to be written.
   */
  completeWith(effect: unknown, result: unknown): Promise<void>;
}

/** The part of a handler's context that a store's commit function uses. */
export interface AttemptContext {
  /** The attempt behind the context. A context that is made by hand, for a test, need not have it. */
  readonly [ATTEMPT]?: AttemptHandle | undefined;
}

/** Throws a `ConfigurationError` that names the function in question where no attempt is behind the context. */
export function attemptOf(context: AttemptContext, caller: string): AttemptHandle {
  const attempt = (context as AttemptContext | null | undefined)?.[ATTEMPT];
  if (typeof attempt?.completeWith === 'function') return attempt;
  throw new ConfigurationError(
    `Expected the first argument of ${caller} to be the context that createBatchProcessor gave the handler: there is no attempt ` +
      'behind this one. In a test, run the handler through createBatchProcessor with `memoryStore({ onCommit })`',
  );
}

import type { Completion } from '../../claims/claim-store.ts';
import type { CommitOutcome } from '../../claims/commit.ts';
import { ConfigurationError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';

/**
 * The effect of `inTransaction`: an open transaction, in which the completion is written. It brings the
 * code for that, so that only a function with transactions has it in its bundle.
 */
export interface TransactionEffect {
  readonly kind: 'postgres';
  /** The client that the function was given. */
  readonly content: unknown;
  /** Resolves when the transaction has ended. */
  write(completion: Completion): Promise<CommitOutcome>;
}

/** Writes an effect of `inTransaction`, also of another copy of the package, and refuses any other. */
export async function writeEffect(completion: Completion, effect: unknown): Promise<CommitOutcome> {
  const { kind, write } = (isObject(effect) ? effect : {}) as Partial<TransactionEffect>;
  if (kind === 'postgres' && typeof write === 'function')
    return (effect as TransactionEffect).write(completion);
  const refused = new ConfigurationError(
    'postgresStore can only write effects of `inTransaction` of batchlatch/postgres: use the commit ' +
      'function of the store that keeps the claims',
  );
  return { refused };
}

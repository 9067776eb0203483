import { ConfigurationError } from '../base/errors.ts';
import type { AttemptHandle, AttemptTransaction } from '../claims/attempt-handle.ts';
import type { ClaimStore, Completion } from '../claims/claim-store.ts';
import { type CommitOutcome, contentOf } from '../claims/commit.ts';
import type { Attempt } from './attempt.ts';
import type { Ending } from './ending.ts';
import { CommitNotAllowedError, CommitResultError } from './errors.ts';
import { endingOf, settlementFor } from './settling.ts';
import { Transaction } from './transaction.ts';

/** The handle of an attempt for commit functions. `toValue` converts a result into the value to settle. */
export class AttemptHandleOf implements AttemptHandle {
  readonly #attempt: Attempt;
  readonly #toValue: ((result: unknown) => unknown) | undefined;

  constructor(attempt: Attempt, toValue?: (result: unknown) => unknown) {
    this.#attempt = attempt;
    this.#toValue = toValue;
  }

  get store(): ClaimStore {
    return this.#attempt.scope.claims.store;
  }

  get isStopped(): boolean {
    return this.#attempt.isStopped || this.#attempt.scope.time.deadline.stop.aborted;
  }

  async transact<Result>(work: (transaction: AttemptTransaction) => Promise<Result>): Promise<Result> {
    const attempt = this.#attempt;
    const toValue = this.#toValue;
    if (!attempt.hasClaim) throw new CommitNotAllowedError('unclaimed');
    if (attempt.state !== 'running' && attempt.state !== 'abandoned')
      throw new CommitNotAllowedError('ended');
    const transaction = (attempt.transaction ??= new Transaction());
    return transaction.run(async () =>
      work({
        complete: async (effect, result) =>
          completeWith(attempt, transaction, effect, toValue === undefined ? result : await toValue(result)),
        noteNotDone: (error) => transaction.noteNotDone(error),
      }),
    );
  }

  completeWith(effect: unknown, result: unknown): Promise<void> {
    return this.transact(({ complete }) => complete(effect, result));
  }
}

/** Writes the effect and the completion in one transaction. */
async function completeWith(
  attempt: Attempt,
  transaction: Transaction,
  effect: unknown,
  result: unknown,
): Promise<void> {
  const { clock } = attempt.scope.time;
  const startedAt = clock.now();
  const ending = endingOf(attempt, { kind: 'returned', result });
  // In functions and requests: a result that would be parked or failed must not be committed as done.
  if (ending.end !== 'complete') throw new CommitResultError(ending.problem ?? ending.error.message);
  await transaction.commit(() => commit(attempt, effect, ending));
  transaction.committed = { result, ending };
  const durationMs = clock.now() - startedAt;
  const content = contentOf(effect);
  const items = Array.isArray(content) ? content.length : 1;
  attempt.scope.watch.notify({ type: 'committed', ...attempt.facts, items, durationMs });
}

function commit(attempt: Attempt, effect: unknown, ending: Ending): Promise<CommitOutcome> {
  const { claims, time } = attempt.scope;
  const { store } = claims;
  if (store.commit === undefined) {
    const error = new ConfigurationError(
      'The claim store has no commit(): use its own commit function, or memoryStore({ onCommit })',
    );
    return Promise.resolve({ refused: error });
  }
  const signal = time.deadline.answerNow;
  // If the answer has left already, nothing is gained by giving up.
  return store.commit(settlementFor(attempt, ending) as Completion, effect, signal.aborted ? {} : { signal });
}

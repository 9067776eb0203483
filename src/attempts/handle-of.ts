import type { AttemptHandle, AttemptTransaction } from '../claims/attempt-handle.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import type { Attempt } from './attempt.ts';
import { CommitNotAllowedError } from './errors.ts';
import type { HandlerRun } from './handler-run.ts';
import type { AttemptScope } from './scope.ts';

/**
 * What a store's commit function gets of an attempt and its run. `toValue` makes what the attempt's end is decided by of what
 * is given as the result of a commit.
 */
export function handleOf(
  attempt: Attempt | undefined,
  run: HandlerRun,
  scope: Pick<AttemptScope, 'store' | 'deadline'>,
  toValue?: (result: unknown) => unknown,
): AttemptHandle {
  return new Handle(attempt, run, scope, toValue);
}

/** A class, because there is one for each record, and few are used. None of it is shown where a context is logged. */
class Handle implements AttemptHandle {
  readonly #attempt: Attempt | undefined;
  readonly #run: HandlerRun;
  readonly #scope: Pick<AttemptScope, 'store' | 'deadline'>;
  readonly #toValue: ((result: unknown) => unknown) | undefined;

  constructor(
    attempt: Attempt | undefined,
    run: HandlerRun,
    scope: Pick<AttemptScope, 'store' | 'deadline'>,
    toValue: ((result: unknown) => unknown) | undefined,
  ) {
    this.#attempt = attempt;
    this.#run = run;
    this.#scope = scope;
    this.#toValue = toValue;
  }

  get store(): ClaimStore {
    return this.#scope.store;
  }

  get isStopped(): boolean {
    return this.#run.isStopped || this.#scope.deadline.stop.aborted;
  }

  async transact<Result>(work: (transaction: AttemptTransaction) => Promise<Result>): Promise<Result> {
    if (this.#attempt === undefined) throw new CommitNotAllowedError('unclaimed');
    return this.#attempt.transact(({ complete, noteNotDone }) =>
      work({
        complete: async (effect, result) => {
          await complete(effect, this.#toValue === undefined ? result : await this.#toValue(result));
          this.#run.watchLease(); // a completed claim has no lease to lose
        },
        noteNotDone,
      }),
    );
  }

  completeWith(effect: unknown, result: unknown): Promise<void> {
    return this.transact(({ complete }) => complete(effect, result));
  }
}

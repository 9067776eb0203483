import type { AttemptHandle, AttemptTransaction } from '../claims/attempt-handle.ts';
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
  { store, deadline }: Pick<AttemptScope, 'store' | 'deadline'>,
  toValue: (result: unknown) => unknown = (result) => result,
): AttemptHandle {
  async function transact<Result>(
    work: (transaction: AttemptTransaction) => Promise<Result>,
  ): Promise<Result> {
    if (attempt === undefined) throw new CommitNotAllowedError('unclaimed');
    return attempt.transact(({ complete, noteNotDone }) =>
      work({
        async complete(effect, result) {
          await complete(effect, await toValue(result));
          run.watchLease(); // a completed claim has no lease to lose
        },
        noteNotDone,
      }),
    );
  }
  return {
    store,
    get isStopped() {
      return run.isStopped || deadline.stop.aborted;
    },
    transact,
    completeWith: (effect, result) => transact(({ complete }) => complete(effect, result)),
  };
}

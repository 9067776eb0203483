import type { Completion } from '../../claims/claim-store.ts';
import type { CommitOutcome } from '../../claims/commit.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { CommitSetup } from './commit-with-completion.ts';

/**
 * The effect of `commit`: the items, and how they are written together with a completion. The code for that comes with the
 * effect and not with the store, so that only a function that commits has it in its bundle.
 */
export interface TransactEffect {
  readonly kind: 'dynamodb';
  /** As the handler gave them, and not checked yet. */
  readonly content: unknown;
  write(completion: Completion, setup: CommitSetup, signal?: StopSignal): Promise<CommitOutcome>;
}

/** Whether `commit` of `batchlatch/dynamodb` made the effect, be it another copy of the package. */
export function isTransactEffect(effect: unknown): effect is TransactEffect {
  if (typeof effect !== 'object' || effect === null) return false;
  const { kind, write } = effect as Partial<TransactEffect>;
  return kind === 'dynamodb' && typeof write === 'function';
}

import type { ClaimStore, Completion, SettleOutcome, Settlement } from './claim-store.ts';
import { decoratedStore } from './decorated-store.ts';
import { hasCode } from '../base/errors.ts';
import { orErrors } from './or-errors.ts';

/**
 * A store that writes a completion without its result where the row would become too large with it, and where that
 * is allowed (`onResultDropped` of the settlement). The effect behind it is done: a completion that is not
 * stored would only run it again, and again.
 */
export function withDroppedResults(store: ClaimStore): ClaimStore {
  const ownCommit: NonNullable<ClaimStore['commit']> = async (completion, effect, options) => {
    const { commit } = store as Required<ClaimStore>;
    const outcome = await commit.call(store, completion, effect, options);
    if (typeof outcome === 'string' || !('error' in outcome)) return outcome;
    const smaller = withoutResult(completion, outcome);
    if (smaller === undefined) return outcome;
    const again = await commit.call(store, smaller, effect, options);
    if (again === 'stored') tell(completion, outcome.error);
    return again;
  };

  return decoratedStore(store, {
    ...(store.commit !== undefined && { commit: ownCommit }),
    async settle(settlements, options) {
      const outcomes = await store.settle(settlements, options);
      const indexes: number[] = [];
      const smaller: Settlement[] = [];
      outcomes.forEach((outcome, index) => {
        const settlement = withoutResult(settlements[index], outcome);
        if (settlement === undefined) return;
        indexes.push(index);
        smaller.push(settlement);
      });
      if (smaller.length === 0) return outcomes;
      const answers = await orErrors(smaller, store.settle(smaller, options));
      return outcomes.map((outcome, index) => {
        const position = indexes.indexOf(index);
        if (position === -1) return outcome;
        const answer = answers[position] ?? outcome;
        if (answer === 'stored') tell(settlements[index], (outcome as { error: Error }).error);
        return answer;
      });
    },
  });
}

/** Undefined where nothing is to be left out. */
function withoutResult(settlement: Settlement | undefined, outcome: SettleOutcome): Completion | undefined {
  if (typeof outcome === 'string' || !hasCode(outcome.error, 'BATCHLATCH_ITEM_TOO_LARGE')) return undefined;
  if (settlement?.end !== 'complete' || settlement.result === undefined) return undefined;
  if (settlement.onResultDropped === undefined) return undefined;
  const { result: _tooLarge, ...rest } = settlement;
  return rest;
}

function tell(settlement: Settlement | undefined, error: unknown): void {
  try {
    if (settlement?.end === 'complete') settlement.onResultDropped?.(error);
  } catch {
    // An error of the callback must not keep the completion from being stored.
  }
}

import type { AcquireOutcome, ClaimStore, Completion, Settlement } from './claim-store.ts';
import { passOn } from './pass-on.ts';
import { noResultStorage, POINTER } from './result-storage.ts';

/** JSON does not begin with an `@`. A text of a custom serializer that does is written behind this. */
const ESCAPE = '@text ';

/**
 * A store for callers that read results, whatever the texts are: duplicates include them, a text is never taken for a
 * pointer to a result storage, and a pointer never for a result. Where nothing behind it reads pointers, one is an error
 * (`BATCHLATCH_RESULT_UNAVAILABLE`): rows outlive the store that they were written with.
 */
export function withResultTexts(store: ClaimStore): ClaimStore {
  const ownCommit: NonNullable<ClaimStore['commit']> = (completion, effect, options) =>
    (store as Required<ClaimStore>).commit(escaped(completion), effect, options);

  return {
    ...passOn(store),
    ...(store.commit !== undefined && { commit: ownCommit }),
    async acquire(requests, options) {
      const outcomes = await store.acquire(requests, { ...options, wantsResults: true });
      return outcomes.map(unescaped);
    },
    settle: (settlements, options) => store.settle(settlements.map(escaped), options),
  };
}

function escaped<Ended extends Settlement | Completion>(settlement: Ended): Ended {
  if (settlement.end !== 'complete' || settlement.result?.startsWith('@') !== true) return settlement;
  return { ...settlement, result: ESCAPE + settlement.result };
}

function unescaped(outcome: AcquireOutcome): AcquireOutcome {
  if (outcome?.status !== 'duplicate' || outcome.result?.startsWith('@') !== true) return outcome;
  const { result } = outcome;
  if (result.startsWith(ESCAPE)) return { ...outcome, result: result.slice(ESCAPE.length) };
  return result.startsWith(POINTER) ? { status: 'error', error: noResultStorage() } : outcome;
}

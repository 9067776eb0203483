import type { AcquireOutcome, ClaimStore, Completion, Settlement } from './claim-store.ts';
import { passOn } from './pass-on.ts';
import { noResultStorage, POINTER } from './result-storage.ts';
import { isKeptAsIs, jsonIn } from './row-format.ts';

/** JSON never begins with `@`. A custom serializer's text that does is stored with this prefix. */
const ESCAPE = '@text ';

/** The prefix of a custom serializer's text that is stored as JSON: not every store keeps it as it is. */
const AS_JSON = '@json ';

/**
 * Wraps a store for callers that read results of any text. Duplicates include their results; a text is never
 * taken for a pointer to a result storage, nor a pointer for a result. A pointer that no storage behind the
 * store reads gives an error (`BATCHLATCH_RESULT_UNAVAILABLE`): the row may be older than the store's
 * configuration.
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
  if (settlement.end !== 'complete' || settlement.result === undefined) return settlement;
  const { result } = settlement;
  if (!isKeptAsIs(result)) return { ...settlement, result: AS_JSON + JSON.stringify(result) };
  return result.startsWith('@') ? { ...settlement, result: ESCAPE + result } : settlement;
}

function unescaped(outcome: AcquireOutcome): AcquireOutcome {
  if (outcome?.status !== 'duplicate' || outcome.result?.startsWith('@') !== true) return outcome;
  const { result } = outcome;
  if (result.startsWith(ESCAPE)) return { ...outcome, result: result.slice(ESCAPE.length) };
  const text = result.startsWith(AS_JSON) ? jsonIn(result.slice(AS_JSON.length)) : undefined;
  if (typeof text === 'string') return { ...outcome, result: text };
  return result.startsWith(POINTER) ? { status: 'error', error: noResultStorage() } : outcome;
}

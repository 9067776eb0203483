import { type Clock, systemClock } from '../base/clock.ts';
import { hasCode, StoreError } from '../base/errors.ts';
import type {
  AcquireOutcome,
  ClaimStore,
  Completion,
  SettleOutcome,
  Settlement,
  StoreCallOptions,
} from '../claims/claim-store.ts';
import type { CommitOutcome } from '../claims/commit.ts';
import { passOn } from '../claims/pass-on.ts';
import { POINTER, type ResultStorage } from '../claims/result-storage.ts';
import { settleOrFail } from '../claims/store-errors.ts';
import { anInteger, checkOptionsOf, objectWith, required } from '../options/check-options.ts';
import { aStore } from '../options/domain-checks.ts';
import { ESCAPE, hasResult, resultForms, type WithResult } from './rows/result-forms.ts';

/** Options of `resultsIn()`. */
export interface ResultsInOptions {
  /** For tests. Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * Returns a store that keeps long results in `storage`, and a pointer to each in its row. The same applies
 * to a result for which the row has no room. The result is written before the completion: a process that
 * dies in between leaves an object without a pointer to it. If `storage` fails, the effect is done all the
 * same, so the completion is stored with the result in the row if it fits, else without it
 * (`onResultDropped` of the settlement); where the result is needed, it is refused
 * (`BATCHLATCH_RESULT_NOT_STORED`).
 *
 * Duplicates include long results for callers that ask for them (`wantsResults`: functions and HTTP
 * handlers). For batches they take no request to the storage. Each call of the storage ends after 15
 * seconds. Throws a `ConfigurationError` for invalid arguments.
 *
 * @param storage Where long results are kept.
 * @param store The store that keeps the claims.
 * @param options For tests: the clock.
 *
 * @example
 * const store = resultsIn(s3Results({ bucket: 'invoice-results' }), dynamoDBStore({ tableName }));
 */
export function resultsIn(
  storage: ResultStorage,
  store: ClaimStore,
  options: ResultsInOptions = {},
): ClaimStore {
  const checks = { storage: required(objectWith('put', 'get')), store: aStore() };
  checkOptionsOf('resultsIn', { storage, store }, checks);
  checkOptionsOf('resultsIn', { thresholdBytes: storage.thresholdBytes }, { thresholdBytes: anInteger(0) });
  checkOptionsOf('resultsIn', options, { clock: objectWith('now', 'setTimer') });
  const { maxResultBytes = Infinity } = store;
  const { clock = systemClock } = options;
  const { formOf, isSpecial, withPointer, get } = resultForms(storage, maxResultBytes, clock);

  async function withResult(outcome: AcquireOutcome, options?: StoreCallOptions): Promise<AcquireOutcome> {
    if (outcome?.status !== 'duplicate' || outcome.result?.startsWith('@') !== true) return outcome;
    const { result, ...rest } = outcome;
    if (result.startsWith(ESCAPE)) return { ...rest, result: result.slice(ESCAPE.length) };
    if (!result.startsWith(POINTER)) return outcome;
    if (options?.wantsResults !== true) return rest;
    try {
      return { ...rest, result: await get(result.slice(POINTER.length), options) };
    } catch (thrown) {
      return { status: 'error', error: unavailable(thrown) };
    }
  }

  const ownCommit: NonNullable<ClaimStore['commit']> = async (completion, effect, options) => {
    const { commit } = store as Required<ClaimStore>;
    const form = await formOf(completion, options);
    if (form instanceof StoreError) return { error: form };
    const outcome = await commit.call(store, form, effect, options);
    if (!hasResult(completion) || isPointing(form) || !isTooLarge(outcome)) return outcome;
    // Refused for its size, so nothing of it is written.
    const smaller = await withPointer(completion, 0, options);
    return smaller instanceof StoreError ? { error: smaller } : commit.call(store, smaller, effect, options);
  };

  return {
    ...passOn(store),
    ...(store.commit !== undefined && { commit: ownCommit }),
    maxResultBytes: Infinity,
    async acquire(requests, options) {
      const outcomes = await store.acquire(requests, options);
      return Promise.all(outcomes.map((outcome) => withResult(outcome, options)));
    },
    async settle(settlements, options) {
      const special = settlements.filter(isSpecial);
      if (special.length === 0) return write(settlements, settlements, options);
      const others = settlements.filter((one) => !isSpecial(one));
      // The others do not wait for what is stored on the way.
      const [ofSpecial, ofOthers] = await Promise.all([
        settleSpecial(special, options),
        settleOrFail(others, write(others, others, options)),
      ]);
      return settlements.map((one) => (isSpecial(one) ? ofSpecial : ofOthers).shift() as SettleOutcome);
    },
  };

  async function settleSpecial(
    special: readonly WithResult[],
    options?: StoreCallOptions,
  ): Promise<SettleOutcome[]> {
    const forms = await Promise.all(special.map((settlement) => formOf(settlement, options)));
    const storable = forms.filter((form): form is Completion => !(form instanceof StoreError));
    const theirs = special.filter((_, index) => !(forms[index] instanceof StoreError));
    const outcomes = await settleOrFail(storable, write(storable, theirs, options));
    return forms.map((form) =>
      form instanceof StoreError ? { error: form } : (outcomes.shift() as SettleOutcome),
    );
  }

  /** Settles the forms of `settlements`. A result too large for the store goes to the storage first. */
  async function write(
    forms: readonly Settlement[],
    settlements: readonly Settlement[],
    options?: StoreCallOptions,
  ): Promise<SettleOutcome[]> {
    if (forms.length === 0) return [];
    const outcomes = await store.settle(forms, options);
    if (!outcomes.some(isTooLarge)) return outcomes;
    return Promise.all(
      outcomes.map(async (outcome, index) => {
        const settlement = settlements[index];
        const mayShrink = settlement !== undefined && hasResult(settlement) && !isPointing(forms[index]);
        return mayShrink && isTooLarge(outcome) ? settleBeside(settlement, options) : outcome;
      }),
    );
  }

  async function settleBeside(settlement: WithResult, options?: StoreCallOptions): Promise<SettleOutcome> {
    const form = await withPointer(settlement, 0, options);
    if (form instanceof StoreError) return { error: form };
    const [outcome] = await settleOrFail([form], store.settle([form], options));
    return outcome as SettleOutcome;
  }
}

function isPointing(settlement: Settlement | undefined): boolean {
  return settlement !== undefined && hasResult(settlement) && settlement.result.startsWith(POINTER);
}

function isTooLarge(outcome: SettleOutcome | CommitOutcome): boolean {
  const isError = typeof outcome === 'object' && 'error' in outcome;
  return isError && hasCode(outcome.error, 'BATCHLATCH_ITEM_TOO_LARGE');
}

function unavailable(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  return new StoreError(
    'The key is completed, but its result cannot be read from the storage of `resultsIn`: see the cause',
    {
      cause,
      isRetryable: true,
      code: 'BATCHLATCH_RESULT_UNAVAILABLE',
    },
  );
}

import { Buffer } from 'node:buffer';
import type {
  AcquireOutcome,
  ClaimStore,
  Completion,
  SettleOutcome,
  Settlement,
  StoreCallOptions,
} from '../claims/claim-store.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { CommitOutcome } from '../claims/commit.ts';
import { hasCode, StoreError } from '../base/errors.ts';
import type { ClaimOperation, OperateOutcome } from '../claims/operable-store.ts';
import { operatedAs, type Operations } from '../claims/operated.ts';
import { orErrors } from '../claims/or-errors.ts';
import { passOn } from '../claims/pass-on.ts';
import { POINTER, type ResultStorage } from '../claims/result-storage.ts';
import { anInteger, objectWith, required } from '../options/check-options.ts';
import { checkOptionsOf } from '../options/check-options-of.ts';
import { boundedResultStorage } from './bounded-result-storage.ts';
import { aStore } from './store-check.ts';

/** Options of `resultsIn()`. */
export interface ResultsInOptions {
  /** For tests. Default: the system clock. */
  readonly clock?: Clock;
}

/** Prefix of texts that only look like a pointer, or like this prefix. */
const ESCAPE = '@stored-text ';

/**
 * A store that keeps long results in `storage`, and a pointer to them in the row; so too a result that turns out to have
 * no room in its row, which holds more than the result. The result is there before its completion is: a process that
 * dies in between leaves an object that nothing points to. Where a result cannot be stored, the effect behind it is
 * done all the same: the completion is stored with the result in the row if it fits there, else without it
 * (`onResultDropped` of the settlement) or, where the result is needed, refused (`BATCHLATCH_RESULT_NOT_STORED`).
 *
 * Duplicates include their long results for callers that ask for them (`wantsResults`: functions and HTTP handlers); for
 * batches they take no request to the storage. Each call of the storage is given up after 15 seconds. Throws a
 * `ConfigurationError` for arguments that cannot work.
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
  checkOptionsOf(
    'resultsIn',
    { storage, store },
    { storage: required(objectWith('put', 'get')), store: aStore() },
  );
  checkOptionsOf('resultsIn', { thresholdBytes: storage.thresholdBytes }, { thresholdBytes: anInteger(0) });
  checkOptionsOf('resultsIn', options, { clock: objectWith('now', 'setTimer') });
  const bounded = boundedResultStorage(storage, options.clock ?? systemClock);
  const mostInRow = store.maxResultBytes ?? Infinity;
  const threshold = Math.min(storage.thresholdBytes ?? mostInRow, mostInRow);

  /** `roomInRow`: how many bytes of result the row can hold where the storage does not take it. */
  async function withPointer(
    settlement: WithResult,
    roomInRow: number,
    options?: StoreCallOptions,
  ): Promise<Completion | StoreError> {
    const { result, ...rest } = settlement;
    try {
      const pointer = await bounded.put(settlement.key, settlement.owner, result, options);
      return { ...rest, result: POINTER + pointer };
    } catch (error) {
      if (!isLongerThan(roomInRow, result)) return inRow(settlement);
      if (settlement.onResultDropped === undefined) return notStored(error);
      tell(settlement, error);
      return rest;
    }
  }

  async function withResult(outcome: AcquireOutcome, options?: StoreCallOptions): Promise<AcquireOutcome> {
    if (outcome?.status !== 'duplicate' || outcome.result?.startsWith('@') !== true) return outcome;
    const { result, ...rest } = outcome;
    if (result.startsWith(ESCAPE)) return { ...rest, result: result.slice(ESCAPE.length) };
    if (!result.startsWith(POINTER)) return outcome;
    if (options?.wantsResults !== true) return rest;
    try {
      return { ...rest, result: await bounded.get(result.slice(POINTER.length), options) };
    } catch (thrown) {
      return { status: 'error', error: unavailable(thrown) };
    }
  }

  /** Whether the result cannot go into the row as it is. */
  function isSpecial(settlement: Settlement): settlement is WithResult {
    if (!hasResult(settlement)) return false;
    return looksLikeOurs(settlement.result) || isLongerThan(threshold, settlement.result);
  }

  async function formOf(
    settlement: Completion,
    options?: StoreCallOptions,
  ): Promise<Completion | StoreError> {
    if (!isSpecial(settlement)) return settlement;
    const isLong = isLongerThan(threshold, settlement.result);
    return isLong ? withPointer(settlement, mostInRow, options) : inRow(settlement);
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

  /** The result that a person gives goes where that of an attempt would. */
  function operating(behind: Operations): Pick<Operations, 'operate'> {
    return {
      async operate(operations, options) {
        const forms = await Promise.all(operations.map((operation) => formOfChange(operation, options)));
        const sent = forms.filter((form): form is ClaimOperation => !(form instanceof StoreError));
        const outcomes = sent.length === 0 ? [] : await behind.operate(sent, options);
        return forms.map((form) =>
          form instanceof StoreError
            ? { status: 'error', error: form }
            : (outcomes.shift() as OperateOutcome),
        );
      },
    };
  }

  async function formOfChange(
    operation: ClaimOperation,
    options?: StoreCallOptions,
  ): Promise<ClaimOperation | StoreError> {
    const { key, owner, result, retentionMs } = operation;
    if (result === undefined) return operation;
    const form = await formOf({ end: 'complete', key, owner, result, retentionMs }, options);
    if (form instanceof StoreError) return form;
    return form.result === undefined ? operation : { ...operation, result: form.result };
  }

  return {
    ...passOn(store),
    ...operatedAs(store, operating),
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
        orErrors(others, write(others, others, options)),
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
    const outcomes = await orErrors(storable, write(storable, theirs, options));
    return forms.map((form) =>
      form instanceof StoreError ? { error: form } : (outcomes.shift() as SettleOutcome),
    );
  }

  /** Settles the forms of `settlements`; a result that is too large for the store goes to the storage, and is settled again. */
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
    const [outcome] = await orErrors([form], store.settle([form], options));
    return outcome as SettleOutcome;
  }
}

type WithResult = Completion & { readonly result: string };

function hasResult(settlement: Settlement): settlement is WithResult {
  return settlement.end === 'complete' && settlement.result !== undefined;
}

/** The settlement with its result in the row. */
function inRow(settlement: WithResult): WithResult {
  return looksLikeOurs(settlement.result)
    ? { ...settlement, result: ESCAPE + settlement.result }
    : settlement;
}

/** A text that `withResult` would take for a pointer, or for an escaped text. */
function looksLikeOurs(text: string): boolean {
  return text.startsWith(POINTER) || text.startsWith(ESCAPE);
}

function isPointing(settlement: Settlement | undefined): boolean {
  return settlement !== undefined && hasResult(settlement) && settlement.result.startsWith(POINTER);
}

function isTooLarge(outcome: SettleOutcome | CommitOutcome): boolean {
  const isError = typeof outcome === 'object' && 'error' in outcome;
  return isError && hasCode(outcome.error, 'BATCHLATCH_ITEM_TOO_LARGE');
}

function tell({ onResultDropped }: Completion, error: unknown): void {
  try {
    onResultDropped?.(error);
  } catch {
    // An error of the callback must not keep the completion from being stored.
  }
}

function isLongerThan(bytes: number, text: string): boolean {
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}

function notStored(cause: unknown): StoreError {
  return new StoreError(
    'The result is too long for the store, and could not be stored in the result storage',
    {
      cause,
      isRetryable: false,
      code: 'BATCHLATCH_RESULT_NOT_STORED',
    },
  );
}

function unavailable(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  return new StoreError('The key is completed, but its stored result cannot be read now', {
    cause,
    isRetryable: true,
    code: 'BATCHLATCH_RESULT_UNAVAILABLE',
  });
}

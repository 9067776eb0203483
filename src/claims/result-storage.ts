import { Buffer } from 'node:buffer';
import type {
  AcquireOutcome,
  ClaimStore,
  Completion,
  SettleOutcome,
  Settlement,
  StoreCallOptions,
} from './claim-store.ts';
import type { CommitOutcome } from './commit.ts';
import { decoratedStore } from './decorated-store.ts';
import { hasCode, StoreError } from './errors.ts';
import { orErrors } from './or-errors.ts';

/** Where results live that are too long for a row: `s3ResultStorage` of `batchlatch/s3`, or anybody's own. */
export interface ResultStorage {
  /** Results of more UTF-8 bytes of JSON than this are stored here. Default: what the claim store can hold. */
  readonly thresholdBytes?: number;
  /**
   * Stores the result of one attempt and says where, in a string for `get`. Two owners of a key have two places:
   * a late owner must not overwrite the result of the next. The same attempt may put its result again.
   */
  put(key: string, owner: string, json: string, options?: StoreCallOptions): Promise<string>;
  /** Reads what `put` stored. Rejects with a `BatchlatchError` whose `isRetryable` is false where it is gone for good. */
  get(pointer: string, options?: StoreCallOptions): Promise<string>;
}

export interface ResultStorageUse {
  /**
   * Whether results are looked at. Then duplicates bring them along, and a completion whose result neither fits
   * in its row nor could be stored is refused (`BATCHLATCH_RESULT_NOT_STORED`): without it, it would say that there
   * was none. Default false: a duplicate comes without a stored result and takes no request, and a result that
   * cannot be kept is dropped.
   */
  readonly fetch?: boolean;
}

/** In a row, a text that begins like this says where the result is. No JSON text does. */
const POINTER = '@stored ';
/** A text of a custom serializer may: whatever begins with an `@` is written behind this, with a storage or without. */
const ESCAPE = '@text ';

/**
 * Keeps long results beside the store and a pointer to them in the row; so too a result that turns out to have no
 * room in its row, which holds more than the result. The result is there before its completion is: a process that
 * dies in between leaves an object that nothing points to. Where a result cannot be stored, the effect behind it is
 * done all the same: the completion is stored with the result in the row if it fits there, else without it
 * (`onResultDropped` of the settlement).
 *
 * Without a storage it only sees to it that pointers and results are never taken for each other: rows outlive the
 * options that they were written with.
 */
export function withResultStorage(
  store: ClaimStore,
  storage: ResultStorage | undefined,
  { fetch = false }: ResultStorageUse = {},
): ClaimStore {
  const mostInRow = store.maxResultBytes ?? Infinity;
  const threshold =
    storage === undefined ? Infinity : Math.min(storage.thresholdBytes ?? mostInRow, mostInRow);

  /** `roomInRow`: how many bytes of result the row can hold where the storage does not take it. */
  async function withPointer(
    settlement: WithResult,
    beside: ResultStorage,
    roomInRow: number,
    options?: StoreCallOptions,
  ): Promise<Completion | StoreError> {
    const { result, ...rest } = settlement;
    try {
      const pointer = await beside.put(settlement.key, settlement.owner, result, options);
      return { ...rest, result: POINTER + pointer };
    } catch (error) {
      if (!isLongerThan(roomInRow, result)) return inRow(settlement);
      if (fetch) return notStored(error);
      tell(settlement, error);
      return rest;
    }
  }

  async function withResult(outcome: AcquireOutcome, options?: StoreCallOptions): Promise<AcquireOutcome> {
    if (outcome.status !== 'duplicate' || outcome.result?.startsWith('@') !== true) return outcome;
    const { result, ...rest } = outcome;
    if (result.startsWith(ESCAPE)) return { ...rest, result: result.slice(ESCAPE.length) };
    if (!result.startsWith(POINTER)) return outcome;
    if (!fetch) return rest;
    if (storage === undefined) return { status: 'error', error: notConfigured() };
    try {
      return { ...rest, result: await storage.get(result.slice(POINTER.length), options) };
    } catch (thrown) {
      return { status: 'error', error: unavailable(thrown) };
    }
  }

  /** Whether the result cannot go into the row as it is. */
  function isSpecial(settlement: Settlement): settlement is WithResult {
    if (!hasResult(settlement)) return false;
    return settlement.result.startsWith('@') || isLongerThan(threshold, settlement.result);
  }

  async function formOf(
    settlement: Completion,
    options?: StoreCallOptions,
  ): Promise<Completion | StoreError> {
    if (!isSpecial(settlement)) return settlement;
    const isLong = storage !== undefined && isLongerThan(threshold, settlement.result);
    return isLong ? withPointer(settlement, storage, mostInRow, options) : inRow(settlement);
  }

  const ownCommit: NonNullable<ClaimStore['commit']> = async (completion, effect, options) => {
    const { commit } = store as Required<ClaimStore>;
    const form = await formOf(completion, options);
    if (form instanceof StoreError) return { error: form };
    const outcome = await commit.call(store, form, effect, options);
    if (storage === undefined || !hasResult(completion) || isPointing(form) || !isTooLarge(outcome)) {
      return outcome;
    }
    // Refused for its size, so nothing of it is written.
    const smaller = await withPointer(completion, storage, 0, options);
    return smaller instanceof StoreError ? { error: smaller } : commit.call(store, smaller, effect, options);
  };

  return decoratedStore(store, {
    ...(store.commit !== undefined && { commit: ownCommit }),
    ...(storage !== undefined && { maxResultBytes: Infinity }),
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
  });

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

  /** Settles the forms of `settlements`; what the store refuses for its size goes beside the row, and is settled again. */
  async function write(
    forms: readonly Settlement[],
    settlements: readonly Settlement[],
    options?: StoreCallOptions,
  ): Promise<SettleOutcome[]> {
    if (forms.length === 0) return [];
    const outcomes = await store.settle(forms, options);
    if (storage === undefined || !outcomes.some(isTooLarge)) return outcomes;
    return Promise.all(
      outcomes.map(async (outcome, index) => {
        const settlement = settlements[index];
        const mayShrink = settlement !== undefined && hasResult(settlement) && !isPointing(forms[index]);
        return mayShrink && isTooLarge(outcome) ? settleBeside(settlement, storage, options) : outcome;
      }),
    );
  }

  async function settleBeside(
    settlement: WithResult,
    beside: ResultStorage,
    options?: StoreCallOptions,
  ): Promise<SettleOutcome> {
    const form = await withPointer(settlement, beside, 0, options);
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
  return settlement.result.startsWith('@')
    ? { ...settlement, result: ESCAPE + settlement.result }
    : settlement;
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
    // Whoever is told has no say in whether the completion is stored.
  }
}

function isLongerThan(bytes: number, text: string): boolean {
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}

function notStored(cause: unknown): StoreError {
  return new StoreError('The result is longer than the store keeps, and could not be stored beside it', {
    cause,
    isRetryable: false,
    code: 'BATCHLATCH_RESULT_NOT_STORED',
  });
}

function notConfigured(): StoreError {
  return new StoreError(
    'The key is completed and its result lies in a result storage, but `resultStorage` is not set: configure the storage that it was written to',
    { isRetryable: false, code: 'BATCHLATCH_RESULT_UNAVAILABLE' },
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

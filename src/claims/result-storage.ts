import { Buffer } from 'node:buffer';
import type {
  AcquireOutcome,
  ClaimStore,
  Completion,
  SettleOutcome,
  Settlement,
  StoreCallOptions,
} from './claim-store.ts';
import { decoratedStore } from './decorated-store.ts';
import { StoreError } from './errors.ts';

/** Where results live that are too long for a row: `s3ResultStorage` of `batchlatch/s3`, or anybody's own. */
export interface ResultStorage {
  /** Results of more UTF-8 bytes of JSON than this are stored here. Default: what the claim store can hold. */
  readonly thresholdBytes?: number;
  /**
   * Stores the result of one attempt and says where, in a string for `get`. Two owners of a key have two places:
   * a late owner must not overwrite the result of the next. The same attempt may put its result again.
   */
  put(key: string, owner: string, json: string, options?: StoreCallOptions): Promise<string>;
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

/** No JSON text begins like this, so no result can be taken for a pointer. */
const POINTER = '@stored ';

/**
 * Keeps long results beside the store and a pointer to them in the row. The result is there before its completion
 * is: a process that dies in between leaves an object that nothing points to. Where a result cannot be stored, the
 * effect behind it is done all the same: the completion is stored with the result in the row if it fits there, else
 * without it (`onResultDropped` of the settlement).
 */
export function withResultStorage(
  store: ClaimStore,
  storage: ResultStorage,
  { fetch = false }: ResultStorageUse = {},
): ClaimStore {
  const mostInRow = store.maxResultBytes ?? Infinity;
  const threshold = Math.min(storage.thresholdBytes ?? mostInRow, mostInRow);

  async function withPointer(
    settlement: Completion & { result: string },
    options?: StoreCallOptions,
  ): Promise<Completion | StoreError> {
    const { result, ...rest } = settlement;
    try {
      const pointer = await storage.put(settlement.key, settlement.owner, result, options);
      return { ...rest, result: POINTER + pointer };
    } catch (error) {
      if (!isLongerThan(mostInRow, result)) return settlement;
      if (fetch) return notStored(error);
      tell(settlement, error);
      return rest;
    }
  }

  async function withResult(outcome: AcquireOutcome, options?: StoreCallOptions): Promise<AcquireOutcome> {
    if (outcome.status !== 'duplicate' || outcome.result?.startsWith(POINTER) !== true) return outcome;
    const { result, ...rest } = outcome;
    if (!fetch) return rest;
    try {
      return { ...rest, result: await storage.get(result.slice(POINTER.length), options) };
    } catch (thrown) {
      return { status: 'error', error: unavailable(thrown) };
    }
  }

  const ownCommit: NonNullable<ClaimStore['commit']> = async (completion, items, options) => {
    const { result } = completion;
    const isLong = result !== undefined && isLongerThan(threshold, result);
    const stored = isLong ? await withPointer({ ...completion, result }, options) : completion;
    if (stored instanceof StoreError) return { error: stored };
    return (store as Required<ClaimStore>).commit(stored, items, options);
  };

  return decoratedStore(store, {
    ...(store.commit !== undefined && { commit: ownCommit }),
    maxResultBytes: Infinity,
    async acquire(requests, options) {
      const outcomes = await store.acquire(requests, options);
      return Promise.all(outcomes.map((outcome) => withResult(outcome, options)));
    },
    async settle(settlements, options) {
      const isLong = settlements.map(
        (settlement) =>
          settlement.end === 'complete' &&
          settlement.result !== undefined &&
          isLongerThan(threshold, settlement.result),
      );
      if (!isLong.includes(true)) return store.settle(settlements, options);
      const long = settlements.filter((_, index) => isLong[index]) as (Completion & { result: string })[];
      const others = settlements.filter((_, index) => isLong[index] !== true);
      // The others do not wait for what is stored on the way.
      const [ofLong, ofOthers] = await Promise.all([settleLong(long, options), outcomesOf(others, options)]);
      return isLong.map((is) => (is ? ofLong : ofOthers).shift() as SettleOutcome);
    },
  });

  async function settleLong(
    long: readonly (Completion & { result: string })[],
    options?: StoreCallOptions,
  ): Promise<SettleOutcome[]> {
    const pointing = await Promise.all(long.map((settlement) => withPointer(settlement, options)));
    const stored = pointing.filter((one): one is Completion => !(one instanceof StoreError));
    const outcomes = await outcomesOf(stored, options);
    return pointing.map((one) =>
      one instanceof StoreError ? { error: one } : (outcomes.shift() as SettleOutcome),
    );
  }

  /** A call that rejects says nothing of its own settlements alone. */
  async function outcomesOf(
    settlements: readonly Settlement[],
    options?: StoreCallOptions,
  ): Promise<SettleOutcome[]> {
    if (settlements.length === 0) return [];
    try {
      return await store.settle(settlements, options);
    } catch (thrown) {
      return settlements.map(() => ({ error: thrown as Error }));
    }
  }
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

function unavailable(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  return new StoreError('The key is completed, but its stored result cannot be had now', {
    cause,
    isRetryable: true,
    code: 'BATCHLATCH_RESULT_UNAVAILABLE',
  });
}

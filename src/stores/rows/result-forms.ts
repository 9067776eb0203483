import { bounded } from '../../base/bounded.ts';
import type { Clock } from '../../base/clock.ts';
import { StoreError } from '../../base/errors.ts';
import { RESULT_STORAGE_MS } from '../../base/limits.ts';
import type { ClaimAdmin, ClaimOperation, OperateOutcome } from '../../claims/claim-admin.ts';
import type { Completion, Settlement, StoreCallOptions } from '../../claims/claim-store.ts';
import { POINTER, type ResultStorage } from '../../claims/result-storage.ts';

/** Prefix of a result that itself starts with the pointer prefix or with this one. */
export const ESCAPE = '@stored-text ';

/** Chooses where a result goes: into the row, up to `mostInRow` bytes, or into the result storage. */
export interface ResultForms {
  /** The completion as it is written into the row; an error if its result is needed and cannot be stored. */
  formOf(completion: Completion, options?: StoreCallOptions): Promise<Completion | StoreError>;
  /** Whether the result must be escaped or moved to the storage. */
  isSpecial(settlement: Settlement): settlement is WithResult;
  /** Puts the result into the storage; if that fails, into the row, up to `roomInRow` bytes. */
  withPointer(
    completion: WithResult,
    roomInRow: number,
    options?: StoreCallOptions,
  ): Promise<Completion | StoreError>;
  readonly get: ResultStorage['get'];
}

/** A completion waits for the storage. If that hangs, the lease lapses and the work runs again. */
const LIMITS = {
  put: { ms: RESULT_STORAGE_MS, signalAt: 3, signalIn: 'signal' },
  get: { ms: RESULT_STORAGE_MS, signalAt: 1, signalIn: 'signal' },
} as const;

export function resultForms(storage: ResultStorage, mostInRow: number, clock: Clock): ResultForms {
  const { put, get } = bounded(storage, LIMITS, unanswered, clock);
  const threshold = Math.min(storage.thresholdBytes ?? mostInRow, mostInRow);

  async function withPointer(
    settlement: WithResult,
    roomInRow: number,
    options?: StoreCallOptions,
  ): Promise<Completion | StoreError> {
    const { result, ...rest } = settlement;
    try {
      const pointer = await put(settlement.key, settlement.owner, result, options);
      return { ...rest, result: POINTER + pointer };
    } catch (error) {
      if (!isLongerThan(roomInRow, result)) return inRow(settlement);
      if (settlement.onResultDropped === undefined) return notStored(error);
      tell(settlement, error);
      return rest;
    }
  }

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

  return { formOf, isSpecial, withPointer, get };
}

/** Makes an admin move long results that people give into the storage, as the store does for attempts. */
export function withResultsIn(
  storage: ResultStorage | undefined,
  admin: ClaimAdmin,
  mostInRow: number,
  clock: Clock,
): ClaimAdmin {
  if (storage === undefined) return admin;
  const { formOf } = resultForms(storage, mostInRow, clock);

  async function formOfChange(
    change: ClaimOperation,
    options?: StoreCallOptions,
  ): Promise<ClaimOperation | StoreError> {
    const { key, owner, result, retentionMs } = change;
    if (result === undefined) return change;
    const form = await formOf({ end: 'complete', key, owner, result, retentionMs }, options);
    if (form instanceof StoreError) return form;
    return form.result === undefined ? change : { ...change, result: form.result };
  }

  return {
    ...admin,
    async change(changes, options) {
      const forms = await Promise.all(changes.map((change) => formOfChange(change, options)));
      const sent = forms.filter((form): form is ClaimOperation => !(form instanceof StoreError));
      const outcomes = sent.length === 0 ? [] : await admin.change(sent, options);
      return forms.map((form) =>
        form instanceof StoreError ? { status: 'error', error: form } : (outcomes.shift() as OperateOutcome),
      );
    },
  };
}

export type WithResult = Completion & { readonly result: string };

export function hasResult(settlement: Settlement): settlement is WithResult {
  return settlement.end === 'complete' && settlement.result !== undefined;
}

function inRow(settlement: WithResult): WithResult {
  return looksLikeOurs(settlement.result)
    ? { ...settlement, result: ESCAPE + settlement.result }
    : settlement;
}

/** Whether reading would take the text for a pointer or an escaped text. */
function looksLikeOurs(text: string): boolean {
  return text.startsWith(POINTER) || text.startsWith(ESCAPE);
}

function tell({ onResultDropped }: Completion, error: unknown): void {
  try {
    onResultDropped?.(error);
  } catch {
    // An error in the callback must not prevent the completion.
  }
}

function isLongerThan(bytes: number, text: string): boolean {
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}

function unanswered(_why: string, limitMs: number): Error {
  return new Error(`The result storage did not answer within ${limitMs / 1_000} seconds`);
}

function notStored(cause: unknown): StoreError {
  const message =
    'The result is too long for the store, and the storage of `resultsIn` did not take it: see the cause';
  return new StoreError(message, { cause, isRetryable: false, code: 'BATCHLATCH_RESULT_NOT_STORED' });
}

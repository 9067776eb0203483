import { type Clock, wait } from '../../tool-base/clock.ts';
import type { InvocationFailure, InvocationResult } from '../invoke-result.ts';
import type { StreamRecord } from './stream-source.ts';

export interface StreamAttemptsOptions {
  readonly clock: Clock;
  /** -1: no limit. */
  readonly maximumRetries: number;
  /** -1: no limit. */
  readonly maximumRecordAgeMs: number;
  readonly bisectsOnError: boolean;
  readonly reportsBatchItemFailures: boolean;
  readonly invoke: (records: readonly StreamRecord[]) => Promise<InvocationResult>;
  /** Called for each attempt; `done`: how many of its records, from the first, have ended. */
  readonly onAttempt: (attempt: {
    readonly records: number;
    readonly done: number;
    readonly result: InvocationResult;
  }) => void;
  /** Called for records that are given up. */
  readonly onDiscarded: (discarded: DiscardedBatch) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Records that are given up together. */
export interface DiscardedBatch {
  readonly records: readonly StreamRecord[];
  readonly condition: 'RetryAttemptsExhausted' | 'RecordAgeExceeded';
  readonly attempts: number;
  /** Undefined if the function answered with the records that failed. */
  readonly failure: InvocationFailure | undefined;
}

/** The attempts of the first record, across checkpoints and halves. */
interface Tried {
  readonly attempts: number;
  readonly failure: InvocationFailure | undefined;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Invokes the function until all records of the batch are done or given up, in order. After a stop, it
 * resolves to the records that are left.
 *
 * An answer that names failed records moves the start of the batch to the first of them. Any other failure
 * halves the batch if `bisectsOnError`, which is not a retry. The batch of the last attempt is given up as a
 * whole.
 */
export async function runBatch(
  options: StreamAttemptsOptions,
  batch: readonly StreamRecord[],
  tried: Tried = { attempts: 0, failure: undefined },
): Promise<readonly StreamRecord[]> {
  let { attempts, failure } = tried;
  let records = batch;
  for (let pauses = 0; ; pauses += 1) {
    if (options.signal.aborted) return records;
    records = await withoutTooOld(options, records, { attempts, failure });
    if (records.length === 0) return [];
    const result = await options.invoke(records);
    const isThrottled = !result.ok && result.isThrottled === true;
    const done = doneOf(options, records, result);
    options.onAttempt({ records: records.length, done, result });
    if (done === records.length) return [];
    failure = result.ok ? undefined : result;
    // After a checkpoint, another record is first, and has failed once.
    attempts = done > 0 ? 1 : attempts + (isThrottled ? 0 : 1);
    records = records.slice(done);
    if (options.bisectsOnError && done === 0 && !isThrottled && records.length > 1) {
      return runHalves(options, records, { attempts, failure });
    }
    if (options.maximumRetries >= 0 && attempts > options.maximumRetries) {
      await options.onDiscarded({ records, condition: 'RetryAttemptsExhausted', attempts, failure });
      return [];
    }
    await wait(options.clock, Math.min(FIRST_PAUSE_MS * 2 ** pauses, LONGEST_PAUSE_MS), options.signal);
  }
}

async function runHalves(
  options: StreamAttemptsOptions,
  records: readonly StreamRecord[],
  { attempts, failure }: Tried,
): Promise<readonly StreamRecord[]> {
  const middle = Math.ceil(records.length / 2);
  const tried = { attempts: attempts - 1, failure };
  const left = await runBatch(options, records.slice(0, middle), tried);
  if (left.length > 0) return [...left, ...records.slice(middle)];
  return runBatch(options, records.slice(middle), tried);
}

/** Returns how many records, from the first, are done according to the answer. */
function doneOf(
  { reportsBatchItemFailures }: StreamAttemptsOptions,
  records: readonly StreamRecord[],
  result: InvocationResult,
): number {
  if (!result.ok) return 0;
  if (!reportsBatchItemFailures) return records.length;
  const answer = (result.payload ?? {}) as { readonly batchItemFailures?: unknown };
  const failures = answer.batchItemFailures ?? [];
  if (!Array.isArray(failures)) return 0;
  const places = (failures as readonly unknown[]).map((one) => {
    const { itemIdentifier: id } = (one ?? {}) as { readonly itemIdentifier?: unknown };
    return records.findIndex(({ sequenceNumber }) => sequenceNumber === id);
  });
  // An unknown identifier fails the whole batch.
  return Math.max(Math.min(records.length, ...places), 0);
}

async function withoutTooOld(
  { clock, maximumRecordAgeMs: age, onDiscarded }: StreamAttemptsOptions,
  records: readonly StreamRecord[],
  { attempts, failure }: Tried,
): Promise<readonly StreamRecord[]> {
  if (age < 0) return records;
  const now = clock.now();
  const young = records.findIndex(({ arrivedMs }) => now - arrivedMs <= age);
  const tooOld = young === -1 ? records : records.slice(0, young);
  if (tooOld.length > 0) {
    await onDiscarded({ records: tooOld, condition: 'RecordAgeExceeded', attempts, failure });
  }
  return records.slice(tooOld.length);
}

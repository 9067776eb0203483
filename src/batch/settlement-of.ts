import { Buffer } from 'node:buffer';
import { WorkerStoppedError } from '../attempts/errors.ts';
import type { Ending, EndingOf } from '../attempts/ending.ts';
import { mayRunAgain } from '../attempts/rules.ts';
import { toStoredError } from '../claims/claim.ts';

/**
 * What is stored of how a record's handler ended. The effect is done where it returned, so the completion is stored in
 * any case; a result that no JSON can hold, or that the store cannot, is left out of it.
 */
export function settlementOf(
  retryable: ((error: unknown) => boolean) | undefined,
  maxResultBytes: number | undefined,
): EndingOf {
  return (end, isLast): Ending => {
    if (end.kind === 'returned') {
      if (end.result === undefined) return { end: 'complete' };
      const { json, problem } = resultAsJson(end.result, maxResultBytes);
      if (json !== undefined) return { end: 'complete', result: json, mayDropResult: true };
      return problem === undefined ? { end: 'complete' } : { end: 'complete', dropped: problem };
    }
    const error = toStoredError(end.error);
    if (end.kind === 'threw' && end.isInconclusive && end.error instanceof WorkerStoppedError) {
      return { end: 'release', error };
    }
    const isRetried =
      end.kind === 'threw' && !isLast && (end.isInconclusive || mayRunAgain(end.error, retryable));
    return { end: isRetried ? 'fail' : 'park', error };
  };
}

function resultAsJson(
  result: unknown,
  maxBytes = Infinity,
): { readonly json?: string; readonly problem?: unknown } {
  try {
    const json = JSON.stringify(result) as string | undefined;
    if (json === undefined) return { problem: new TypeError(`JSON cannot hold a ${typeof result}`) };
    if (json.length * 3 > maxBytes && Buffer.byteLength(json) > maxBytes) {
      return { problem: new RangeError(`The result is longer than the ${maxBytes} bytes a claim can hold`) };
    }
    return { json };
  } catch (problem) {
    return { problem };
  }
}

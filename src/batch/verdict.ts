import { Buffer } from 'node:buffer';
import { countedAttempts, toStoredError } from '../claims/claim.ts';
import type { Settlement } from '../claims/claim-store.ts';
import type { HeldClaim } from './entry.ts';
import { isPermanent, isSchemaFailure, retryLaterMs } from './errors.ts';
import type { Settings } from './options.ts';
import type { HandlerReturn } from './handler-end.ts';

/** Decides how an attempt ends from how its handler did. */
export function verdict(
  end: HandlerReturn,
  key: string,
  claim: HeldClaim,
  settings: Settings,
  maxResultBytes: number | undefined,
): { readonly settlement: Settlement; readonly droppedResult?: unknown } {
  const { owner } = claim;
  const { retention } = settings;
  if (end.kind === 'returned') {
    const { json, problem } = resultAsJson(end.result, maxResultBytes);
    const settlement: Settlement = { end: 'complete', key, owner, retentionMs: retention.completed };
    if (json !== undefined) return { settlement: { ...settlement, result: json } };
    return problem === undefined ? { settlement } : { settlement, droppedResult: problem };
  }
  const error = toStoredError(end.error);
  return {
    settlement:
      end.kind === 'threw' && mayRunAgain(end, claim, settings)
        ? { end: 'fail', key, owner, error, retentionMs: retention.failed }
        : { end: 'park', key, owner, error, retentionMs: retention.parked },
  };
}

function mayRunAgain(
  { error, wasAborted }: HandlerReturn & { kind: 'threw' },
  claim: HeldClaim,
  { maxAttempts, retryable }: Settings,
): boolean {
  if (maxAttempts !== undefined && countedAttempts(claim) >= maxAttempts) return false;
  if (wasAborted) return true; // it ran out of time, which says nothing about the record
  if (isSchemaFailure(error)) return true; // nor does a bug of the schema
  try {
    if (retryLaterMs(error) !== undefined) return true;
    return !isPermanent(error) && (retryable === undefined || retryable(error));
  } catch {
    return true; // parking is for good; a broken classifier, or an error that cannot be read, must not decide that
  }
}

/**
 * The effect is done, so the completion is stored in any case; a result that no JSON can hold, or that the
 * store cannot, is left out of it.
 */
function resultAsJson(
  result: unknown,
  maxBytes = Infinity,
): { readonly json?: string; readonly problem?: unknown } {
  if (result === undefined) return {};
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

import { InterruptedError } from './stop-errors.ts';
import type { HandlerStop } from './handler-stop.ts';

/** How an attempt ends that is to be settled. */
export type AttemptEnd = HandlerReturned | HandlerThrew | AttemptRefused;

export interface HandlerReturned {
  readonly kind: 'returned';
  readonly result: unknown;
}

export interface HandlerThrew {
  readonly kind: 'threw';
  /** What counts: of a handler that was told to stop, why, with what it threw as the cause. */
  readonly error: unknown;
  /** What it threw itself. */
  readonly thrown: unknown;
  /** The end says nothing about the work, such as that of a handler that was told to stop. */
  readonly isInconclusive: boolean;
  /** It has seen its signal aborted, and has not said that it is done all the same. */
  readonly hasSeenAbort?: boolean;
}

/** The handler was not called: the key has failed too often already, a person has to look first, or the body is wrong. */
interface AttemptRefused {
  readonly kind: 'refused';
  readonly error: Error;
  /** It is the record that is wrong, and not what became of its attempts. */
  readonly isInvalid?: true;
}

/**
 * The end of a handler that returned. Returning is not finishing for one that was told to stop and has seen it. `seen` is the stop
 * of the attempt that has seen its abort: its own, or that of another record of the same call.
 */
export function endOfReturn(
  result: unknown,
  own: HandlerStop | undefined,
  seen: HandlerStop | undefined,
): HandlerReturned | HandlerThrew {
  const hasFinished =
    seen?.hasSeenAbort !== true ||
    own?.isDone === true ||
    // A batch handler that was to stop for another record's sake, and still has an answer for this one, has done it.
    (own?.reason === undefined && result !== undefined);
  // rule: seen-abort
  if (hasFinished) return { kind: 'returned', result };
  const error = new InterruptedError({ cause: (own?.reason ?? seen?.reason)?.() });
  return { kind: 'threw', error, thrown: error, isInconclusive: true, hasSeenAbort: true };
}

/** The end of a handler that threw: where it was told to stop, the reason counts. */
export function endOfThrow(thrown: unknown, stop: HandlerStop | undefined): HandlerThrew {
  if (stop?.reason === undefined) return { kind: 'threw', error: thrown, thrown, isInconclusive: false };
  const hasSeenAbort = stop.hasSeenAbort && !stop.isDone;
  return { kind: 'threw', error: stop.reason(thrown), thrown, isInconclusive: true, hasSeenAbort };
}

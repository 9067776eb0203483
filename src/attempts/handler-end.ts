import type { Clock } from '../base/clock.ts';
import { InterruptedError } from './stop-errors.ts';
import type { StopReason } from './work.ts';
import { WatchedSignal } from './watched-signal.ts';

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

/**
 * The stop of one handler: its signal, why it was told to stop, and the timers that tell it. An attempt creates it on first use,
 * which most attempts never come to.
 */
export class HandlerStop {
  /** Why the handler was told to stop; undefined while it was not. */
  reason: StopReason | undefined = undefined;
  /** Whether the handler has said that it finished, whatever it has seen. */
  isDone = false;
  readonly #watched = new WatchedSignal();
  #cancelTimeout: (() => void) | undefined = undefined;
  #cancelGrace: (() => void) | undefined = undefined;

  get signal(): AbortSignal {
    return this.#watched.signal;
  }

  get hasSeenAbort(): boolean {
    return this.#watched.hasSeenAbort;
  }

  /** Aborts the signal. Returns false where it was aborted before: only the first reason counts. */
  abort(reason: StopReason): boolean {
    if (this.reason !== undefined) return false;
    this.reason = reason;
    this.#watched.abort(reason());
    return true;
  }

  /** Calls `onTimeout` after `timeoutMs`. */
  startTimeout(clock: Clock, timeoutMs: number, onTimeout: () => void): void {
    this.#cancelTimeout = clock.setTimer(onTimeout, timeoutMs);
  }

  /** Calls `onOver` after `graceMs`. The first grace counts. */
  startGrace(clock: Clock, graceMs: number, onOver: () => void): void {
    this.#cancelGrace ??= clock.setTimer(onOver, graceMs);
  }

  cancelTimers(): void {
    this.#cancelTimeout?.();
    this.#cancelGrace?.();
  }
}

/** The attempts of one call of a handler that has many records: what it sees of one counts for all. */
export interface RunsTogether {
  /** Returns the stop of the first whose abort was seen. To be asked when the handler has ended. */
  whoHasSeenAbort(): HandlerStop | undefined;
}

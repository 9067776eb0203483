import type { Clock } from '../base/clock.ts';
import { InterruptedError } from './stop-errors.ts';
import type { StopReason } from './work.ts';
import { WatchedSignal } from './watched-signal.ts';

/** The end of an attempt, to be settled. */
export type AttemptEnd = HandlerReturned | HandlerThrew | AttemptRefused;

export interface HandlerReturned {
  readonly kind: 'returned';
  readonly result: unknown;
}

export interface HandlerThrew {
  readonly kind: 'threw';
  /** The error that counts. If the handler was told to stop: the reason, with what it threw as the cause. */
  readonly error: unknown;
  /** The handler's own error. */
  readonly thrown: unknown;
  /** The end says nothing about the work, as when the handler was told to stop. */
  readonly isInconclusive: boolean;
  /** The handler has seen the abort and has not called `done()`. */
  readonly hasSeenAbort?: boolean;
}

/** The handler was not called: too many attempts, a person has to decide first, or the body is invalid. */
interface AttemptRefused {
  readonly kind: 'refused';
  readonly error: Error;
  /** The record itself is invalid; its attempts are not the cause. */
  readonly isInvalid?: true;
}

/**
 * Returns the end of a handler that returned. If it was told to stop and has seen that, it may not have
 * finished. `seen` is the stop whose abort was seen: the attempt's own, or another's of the same call.
 */
export function endOfReturn(
  result: unknown,
  own: HandlerStop | undefined,
  seen: HandlerStop | undefined,
): HandlerReturned | HandlerThrew {
  const hasFinished =
    seen?.hasSeenAbort !== true ||
    own?.isDone === true ||
    // A batch handler was stopped for another record but still returned a result for this one.
    (own?.reason === undefined && result !== undefined);
  // rule: seen-abort
  if (hasFinished) return { kind: 'returned', result };
  const error = new InterruptedError({ cause: (own?.reason ?? seen?.reason)?.() });
  return { kind: 'threw', error, thrown: error, isInconclusive: true, hasSeenAbort: true };
}

/** Returns the end of a handler that threw. If it was told to stop, that reason counts. */
export function endOfThrow(thrown: unknown, stop: HandlerStop | undefined): HandlerThrew {
  if (stop?.reason === undefined) return { kind: 'threw', error: thrown, thrown, isInconclusive: false };
  const hasSeenAbort = stop.hasSeenAbort && !stop.isDone;
  return { kind: 'threw', error: stop.reason(thrown), thrown, isInconclusive: true, hasSeenAbort };
}

/** The stop of one handler: its signal, the reason and the timers. Created on first use. */
export class HandlerStop {
  /** Undefined: the handler was not told to stop. */
  reason: StopReason | undefined = undefined;
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

  /** Aborts the signal. Only the first reason counts; returns false for later ones. */
  abort(reason: StopReason): boolean {
    if (this.reason !== undefined) return false;
    this.reason = reason;
    this.#watched.abort(reason());
    return true;
  }

  startTimeout(clock: Clock, timeoutMs: number, onTimeout: () => void): void {
    this.#cancelTimeout = clock.setTimer(onTimeout, timeoutMs);
  }

  /** Calls `onOver` after `graceMs`. Only the first grace counts. */
  startGrace(clock: Clock, graceMs: number, onOver: () => void): void {
    this.#cancelGrace ??= clock.setTimer(onOver, graceMs);
  }

  cancelTimers(): void {
    this.#cancelTimeout?.();
    this.#cancelGrace?.();
  }
}

/** The attempts of one call of a batch handler: an abort seen on one counts for all. */
export interface RunsTogether {
  /** Returns the first stop whose abort was seen. Called when the handler has ended. */
  whoHasSeenAbort(): HandlerStop | undefined;
}

import type { Clock } from '../base/clock.ts';
import type { StopReason } from './work.ts';
import { WatchedSignal } from './watched-signal.ts';

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

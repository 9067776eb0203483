import type { StopSignal } from './stop.ts';

/** The only source of time in this library, passed as an argument: tests and the simulation never sleep. */
export interface Clock {
  /** Returns milliseconds since the epoch. */
  now(): number;
  /**
   * Calls `callback` once after `delayMs` milliseconds. The returned function cancels it.
   *
   * @param callback The function to call.
   * @param delayMs The delay in milliseconds.
   */
  setTimer(callback: () => void, delayMs: number): () => void;
}

/** `setTimeout` fires at once for a longer delay (2^31 - 1 ms, about 24.8 days). */
const LONGEST_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs` or when `signal` is aborted. */
export function wait(clock: Clock, delayMs: number, signal?: StopSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return waitAtMost(clock, delayMs, undefined, signal);
}

/** Resolves when `work` has settled, after `limitMs`, or when `signal` is aborted, whichever comes first. */
export function waitAtMost(
  clock: Clock,
  limitMs: number,
  work: Promise<unknown> | undefined,
  signal?: StopSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.setTimer(done, limitMs);
    if (signal?.aborted === true) done();
    else signal?.addEventListener('abort', done, { once: true });
    work?.finally(done).catch(() => undefined);
  });
}

/** Returns a time as ISO 8601, or undefined if a damaged row holds an invalid one. */
export function isoTime(time: number | undefined): string | undefined {
  const date = new Date(time ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

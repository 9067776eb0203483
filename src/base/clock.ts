import type { StopSignal } from './stop.ts';

/**
 * The only way this library learns the time or waits for it. Everything that depends on time takes a
 * clock as an argument, so that tests and the simulation run the real code without sleeping.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Calls `callback` once after `delayMs` milliseconds; the returned function cancels it.
   *
   * @param callback What is called.
   * @param delayMs After how long, in milliseconds.
   */
  setTimer(callback: () => void, delayMs: number): () => void;
}

/** setTimeout fires at once for a longer delay than this (2^31 - 1 ms, about 24.8 days). */
const LONGEST_TIMER_MS = 2_147_483_647;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`, or as soon as `signal` is aborted, whichever comes first. */
export function wait(clock: Clock, delayMs: number, signal?: StopSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return waitAtMost(clock, delayMs, undefined, signal);
}

/** Resolves when `work` has ended, well or not, after `limitMs`, or as soon as `signal` is aborted, whichever is first. */
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

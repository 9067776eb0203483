import type { Clock } from 'batchlatch/core';

export type { Clock } from 'batchlatch/core';

/** The longest delay of `setTimeout` (2^31 - 1 ms, about 24.8 days); it fires at once for a longer one. */
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
export function wait(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.setTimer(done, delayMs);
    signal?.addEventListener('abort', done, { once: true });
  });
}

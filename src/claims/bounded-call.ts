import { setMaxListeners } from 'node:events';
import type { Clock } from './clock.ts';

export interface CallBound {
  readonly clock: Clock;
  /** How long to wait for the answer, in milliseconds. */
  readonly limitMs: number;
  /** Ends the wait for an answer earlier, and is handed on to the call. */
  readonly signal?: AbortSignal | undefined;
  /** Makes the error of a call that has not answered: in time, or before its caller gave up. */
  readonly errorOf: (why: 'silent' | 'given-up') => Error;
}

/**
 * Waits for a call to the outside no longer than `limitMs`, whatever client was given: a call that never answers
 * would otherwise keep its place without end. Its signal is aborted then, and its answer, if it still comes, goes
 * to `onLate`.
 */
export function boundedCall<Answer>(
  call: (signal: AbortSignal) => Promise<Answer>,
  { clock, limitMs, signal, errorOf }: CallBound,
  onLate?: (answer: Answer) => void,
): Promise<Answer> {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // every request of one call may listen
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (): boolean => {
      if (isOver) return false;
      isOver = true;
      cancel();
      signal?.removeEventListener('abort', giveUp);
      return true;
    };
    const giveUp = (): void => {
      const error = errorOf(signal?.aborted === true ? 'given-up' : 'silent');
      if (end()) reject(error);
      controller.abort(error);
    };
    const cancel = clock.setTimer(giveUp, limitMs);
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted === true) controller.abort(signal.reason); // the call says what it makes of that
    started(call, controller.signal).then(
      (answer) => (end() ? resolve(answer) : onLate?.(answer)),
      (error: unknown) => end() && reject(error as Error),
    );
  });
}

/** What throws before it gives a promise has rejected. */
async function started<Answer>(
  call: (signal: AbortSignal) => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  return call(signal);
}

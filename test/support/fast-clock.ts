import type { Clock } from 'batchlatch';

/** A clock that goes faster than the machine's. */
export interface FastClock extends Clock {
  /** Puts it forward, without ringing: timers come when they would have come. */
  leap(ms: number): void;
  /** Stops it until the returned function is called. Timers ring all the same. */
  hold(): () => void;
}

/** So that what takes half a minute takes seconds: the real queue beside it has to be told, too. */
export function fastClock(factor: number): FastClock {
  const startedAt = Date.now();
  let leaptMs = 0;
  let heldAtMs: number | undefined;
  const goneMs = (): number => Math.round((Date.now() - startedAt) * factor);
  return {
    now: () => startedAt + (heldAtMs ?? goneMs()) + leaptMs,
    setTimer(callback, delayMs) {
      const timer = setTimeout(callback, Math.min(delayMs / factor, 2 ** 31 - 1));
      return () => clearTimeout(timer);
    },
    leap: (ms) => void (leaptMs += ms),
    hold() {
      const atMs = goneMs();
      heldAtMs = atMs;
      return () => {
        heldAtMs = undefined;
        leaptMs -= goneMs() - atMs;
      };
    },
  };
}

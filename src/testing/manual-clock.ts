import { builtIn } from '../base/built-in.ts';
import type { Clock } from '../base/clock.ts';
import { aNumber, checkOptionsOf } from '../options/check-options.ts';

/** The real one: fake timers of tests replace the global one. */
const { setImmediate } = builtIn('node:timers');

/** A clock that stands still until the test advances it. */
export interface ManualClock extends Clock {
  /**
   * Advances the clock by `ms`. Fires due timers in order, and lets promises settle after each.
   *
   * @param ms The time to advance, in milliseconds.
   */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * Creates a clock that starts at `startMs` (default: 2026-01-01T00:00:00Z).
 *
 * @param startMs The first time, in epoch milliseconds.
 * @throws `ConfigurationError` for a start that is not a number.
 */
export function manualClock(startMs: number = Date.UTC(2026, 0, 1)): ManualClock {
  checkOptionsOf('manualClock', { startMs }, { startMs: aNumber() });
  const timers = new Set<Timer>();
  let nowMs = startMs;

  function nextTimer(until: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer;
    }
    return next;
  }

  return {
    now: () => nowMs,
    setTimer(callback, delayMs) {
      const timer = { at: nowMs + Math.max(0, delayMs), callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const until = nowMs + ms;
      await letPromisesSettle();
      for (let timer = nextTimer(until); timer !== undefined; timer = nextTimer(until)) {
        timers.delete(timer);
        nowMs = Math.max(nowMs, timer.at);
        timer.callback();
        await letPromisesSettle();
      }
      nowMs = until;
      await letPromisesSettle();
    },
  };
}

/** setImmediate runs after every promise reaction that is already due. */
function letPromisesSettle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

import type { Clock } from 'batchlatch';

/** A clock as a blocked event loop shows it: time goes by and no timer fires, until the loop turns again. */
export function blockableClock(): Clock & { block(ms: number): void } {
  let nowMs = Date.UTC(2026, 0, 1);
  const timers = new Map<() => void, number>();
  const fireDue = (): void => {
    const due = [...timers].filter(([, at]) => at <= nowMs).sort(([, a], [, b]) => a - b);
    for (const [callback] of due) if (timers.delete(callback)) callback();
  };
  return {
    now: () => nowMs,
    setTimer(callback, delayMs) {
      timers.set(callback, nowMs + delayMs);
      return () => timers.delete(callback);
    },
    block(ms) {
      nowMs += ms;
      setImmediate(fireDue);
    },
  };
}

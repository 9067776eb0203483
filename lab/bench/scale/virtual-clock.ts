import type { Clock } from '../../../src/base/clock.ts';

/** A clock that moves as soon as there is nothing left to do at its time. */
export interface VirtualClock extends Clock {
  /** Runs what is due, in order, until `isOver` or until nothing is due any more. */
  runUntil(isOver: () => boolean): Promise<void>;
}

const STARTS_AT = Date.UTC(2026, 0, 1);

/** In whole milliseconds: what is due in the same one goes together. */
export function virtualClock(): VirtualClock {
  let now = STARTS_AT;
  const due = new Map<number, Set<() => void>>();
  const times: number[] = [];

  return {
    now: () => now,
    setTimer(callback, delayMs) {
      const at = now + Math.max(Math.ceil(delayMs), 1);
      let callbacks = due.get(at);
      if (callbacks === undefined) {
        callbacks = new Set();
        due.set(at, callbacks);
        insert(times, at);
      }
      const own = (): void => callback();
      callbacks.add(own);
      return () => callbacks.delete(own);
    },
    async runUntil(isOver) {
      await promisesSettled();
      while (!isOver()) {
        const at = times.pop();
        if (at === undefined) return;
        const callbacks = due.get(at) ?? new Set();
        due.delete(at);
        if (callbacks.size === 0) continue;
        now = at;
        for (const callback of callbacks) callback();
        await promisesSettled();
      }
    },
  };
}

/** Keeps the latest first. */
function insert(times: number[], at: number): void {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) > at) low = middle + 1;
    else high = middle;
  }
  times.splice(low, 0, at);
}

/** setImmediate runs after every promise reaction that is already due. */
function promisesSettled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

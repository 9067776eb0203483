import { type Clock, systemClock } from '../../src/tool-base/clock.ts';

/** The time of day, and timers that fire a thousand times as fast. */
export function hurriedClock(): Clock {
  return {
    now: systemClock.now,
    setTimer: (callback, delayMs) => systemClock.setTimer(callback, delayMs / 1_000),
  };
}

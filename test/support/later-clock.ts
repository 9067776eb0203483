import { type Clock, systemClock } from '../../src/base/clock.ts';

/** A clock that runs as the system's, and is ahead of it. */
export function laterClock(byMs: number): Clock {
  return { ...systemClock, now: () => systemClock.now() + byMs };
}

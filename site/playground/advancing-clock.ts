import { type Clock, systemClock } from '../../src/base/clock.ts';

/** The system's clock, which can be put forward between invocations. */
export interface AdvancingClock extends Clock {
  advance(ms: number): void;
}

export function advancingClock(): AdvancingClock {
  let aheadMs = 0;
  return {
    now: () => systemClock.now() + aheadMs,
    setTimer: systemClock.setTimer,
    advance(ms) {
      aheadMs += ms;
    },
  };
}

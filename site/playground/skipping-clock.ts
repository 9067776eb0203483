import { type Clock, systemClock } from '../../src/base/clock.ts';

/** The system's clock, which can be put forward between invocations. */
export interface SkippingClock extends Clock {
  skip(ms: number): void;
}

export function skippingClock(): SkippingClock {
  let aheadMs = 0;
  return {
    now: () => systemClock.now() + aheadMs,
    setTimer: systemClock.setTimer,
    skip(ms) {
      aheadMs += ms;
    },
  };
}

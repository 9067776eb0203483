import { type Clock, systemClock } from '../base/clock.ts';

/** The machine's clock, but for changes of its time: what is only measured must not jump when somebody sets it. */
export const steadyClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimer: systemClock.setTimer,
};

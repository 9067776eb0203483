import { type Clock, systemClock } from '../tool-base/clock.ts';
import type { ProcessIo } from './process-io.ts';

/** Returns a clock that reads the time of the command's `ProcessIo`. */
export function clockOf({ now }: Pick<ProcessIo, 'now'>): Clock {
  return { ...systemClock, now };
}

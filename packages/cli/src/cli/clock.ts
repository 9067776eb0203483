import { type Clock, systemClock } from '../tool-base/clock.ts';
import type { ProcessIo } from './process-io.ts';

/** The clock that a command is run by. */
export function clockOf({ now }: Pick<ProcessIo, 'now'>): Clock {
  return { ...systemClock, now };
}

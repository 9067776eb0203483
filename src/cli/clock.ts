import { type Clock, systemClock } from '../base/clock.ts';
import type { Surroundings } from './surroundings.ts';

/** The clock that a command is run by. */
export function clockOf({ now }: Pick<Surroundings, 'now'>): Clock {
  return { ...systemClock, now };
}

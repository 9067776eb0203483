import type { Clock } from '../base/clock.ts';
import { defaultLeaseMs } from '../attempts/lease.ts';

/** What is left of the invocation that a call runs in, and the leases that follow from it. */
export interface LeaseClock {
  /** The length of a lease that is asked for now: as given, or as long as the invocation lasts from now on. */
  leaseMs(): number;
  /** In milliseconds; 0 or less: nothing may be started any more. `Infinity` if it is unknown. */
  remainingMs(): number;
}

/** A remaining time of 0 or less says that the time is over; none, NaN and what is not finite say nothing. */
export function leaseClock(
  leaseMs: number | undefined,
  remainingTimeMs: number | undefined,
  clock: Clock,
): LeaseClock {
  const isKnown = Number.isFinite(remainingTimeMs);
  const endsAt = isKnown ? clock.now() + (remainingTimeMs as number) : Infinity;
  const remainingMs = (): number => endsAt - clock.now();
  return { remainingMs, leaseMs: () => leaseMs ?? defaultLeaseMs(remainingMs()) };
}

import type { Clock } from '../claims/clock.ts';
import { defaultLeaseMs } from '../claims/default-lease.ts';

/**
 * The length of a lease whenever it is asked for: as given, or as long as the invocation lasts from then on. Lambda
 * never starts an invocation without time: 0, less, or no number is a stand-in that does not say.
 */
export function leaseClock(
  leaseMs: number | undefined,
  remainingTimeMs: number | undefined,
  clock: Clock,
): () => number {
  if (leaseMs !== undefined) return () => leaseMs;
  const remainingMs = remainingTimeMs ?? Number.NaN;
  const endsAt = Number.isFinite(remainingMs) && remainingMs > 0 ? clock.now() + remainingMs : Infinity;
  return () => defaultLeaseMs(endsAt - clock.now());
}

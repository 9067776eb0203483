const DEFAULT_LEASE_MS = 60_000;
const LEASE_BEYOND_INVOCATION_MS = 1_000;

/** As long as the invocation can last and a second more, so that no other attempt starts beside it; never 0 or less. */
export function defaultLeaseMs(remainingTimeMs: number): number {
  if (!Number.isFinite(remainingTimeMs)) return DEFAULT_LEASE_MS;
  return Math.max(Math.ceil(remainingTimeMs), 0) + LEASE_BEYOND_INVOCATION_MS;
}

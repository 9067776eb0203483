const DEFAULT_LEASE_MS = 60_000;
const LEASE_BEYOND_INVOCATION_MS = 1_000;
/** No invocation lasts as long: what says so, such as a worker's context, knows of no end. */
const NO_END_MS = 24 * 60 * 60_000;

/** As long as the invocation can last and a second more, so that no other attempt starts beside it; never 0 or less. */
export function defaultLeaseMs(remainingTimeMs: number): number {
  if (!Number.isFinite(remainingTimeMs) || remainingTimeMs > NO_END_MS) return DEFAULT_LEASE_MS;
  return Math.max(Math.ceil(remainingTimeMs), 0) + LEASE_BEYOND_INVOCATION_MS;
}

/**
 * The longest default lease where the next delivery may come before the invocation could end. Lambda's first retry of an
 * asynchronous invocation comes a minute after the failure: by then a dead process's lease has to be over, or the retry is
 * wasted. Long enough that a busy event loop has half a minute until it must renew the lease.
 */
// rule: short-default-lease
export const SHORT_LEASE_MS = 45_000;

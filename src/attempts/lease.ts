import type { Stop } from '../base/stop.ts';
import type { SettleOutcome } from '../claims/claim-store.ts';
import { asError } from '../claims/store-errors.ts';
import type { Attempt } from './attempt.ts';
import { LeaseLostError } from './stop-errors.ts';
import type { AttemptScope } from './scope.ts';

/** Makes the lease last at least `minimumMs` from now. Never shortens it, never rejects. */
export async function extend(attempt: Attempt, minimumMs: number): Promise<SettleOutcome> {
  if (attempt.isCommitted || !attempt.hasClaim) return 'stored';
  const outcomes = await extendLeases([attempt], minimumMs, attempt.scope);
  return outcomes[0] as SettleOutcome;
}

/** Makes the lease last at least `leaseMs` from now, for a handler. Rejects if that fails. */
export async function extendForHandler(attempt: Attempt, leaseMs: number): Promise<void> {
  if (!Number.isSafeInteger(leaseMs) || leaseMs < 1) {
    throw new RangeError(`Expected \`leaseMs\` to be an integer from 1 up, got \`${leaseMs}\``);
  }
  const outcome = await extend(attempt, leaseMs);
  if (outcome === 'lost') {
    attempt.stopForLease();
    throw new LeaseLostError();
  }
  if (outcome !== 'stored') throw outcome.error;
}

/** Makes leases last at least `minimumMs` from now, in one request. Never shortens one, never rejects. */
export async function extendLeases(
  attempts: readonly Attempt[],
  minimumMs: number,
  { claims: { store }, time: { clock, deadline } }: AttemptScope,
  signal: Stop = deadline.answerNow,
): Promise<SettleOutcome[]> {
  // rule: lease-as-told
  const askedAt = clock.now();
  const extensions = attempts.map(({ key, owner, leaseUntil, scope }) => ({
    key,
    owner,
    // rule: growing-extension
    leaseMs: Math.max(minimumMs, leaseUntil - askedAt),
    retentionMs: scope.claims.rules.retention.inProgress,
  }));
  try {
    const outcomes = await store.extend(extensions, { signal });
    for (const [index, attempt] of attempts.entries()) {
      // The store's lease begins when it writes, so the handler never sees a later end than the row's.
      const leaseUntil = askedAt + (extensions[index]?.leaseMs ?? 0);
      if (outcomes[index] === 'stored' && leaseUntil > attempt.leaseUntil) attempt.leaseUntil = leaseUntil;
    }
    return await Promise.all(
      attempts.map((attempt, index) => unlessCommitted(attempt, outcomes[index] as SettleOutcome)),
    );
  } catch (thrown) {
    const error = asError(thrown);
    return attempts.map(() => ({ error }));
  }
}

/** Returns the outcome of an extension. `lost` can also mean this attempt's own commit, not answered yet. */
async function unlessCommitted(attempt: Attempt, outcome: SettleOutcome): Promise<SettleOutcome> {
  if (outcome !== 'lost') return outcome;
  await attempt.transaction?.whenAnswered();
  return attempt.isCommitted ? 'stored' : 'lost';
}

/** Returns whether a claim has waited so long for its start that little of its lease is left. */
export function isShort({ leaseUntil, scope: { time } }: Attempt): boolean {
  // rule: short-lease
  return leaseUntil - time.clock.now() < time.leaseMs() / 2;
}

/** Renews short leases before their attempts start, in one request. False: must not start. Never rejects. */
export async function ensureLeases(attempts: readonly Attempt[], scope: AttemptScope): Promise<boolean[]> {
  const { clock, deadline, leaseMs } = scope.time;
  const short = attempts.filter(isShort);
  if (short.length === 0) return attempts.map(() => true);
  // Wait no longer than a start is possible: after that the claim has to be released.
  const outcomes = await extendLeases(short, leaseMs(), scope, deadline.stop);
  const notRenewed = new Set(short.filter((_, index) => outcomes[index] !== 'stored'));
  // A renewal that took longer than the lease that it wrote is void.
  // rule: late-renewal
  return attempts.map((attempt) => !notRenewed.has(attempt) && attempt.leaseUntil > clock.now());
}

const DEFAULT_LEASE_MS = 60_000;
const LEASE_BEYOND_INVOCATION_MS = 1_000;
/** A longer remaining time means that the end is unknown, as in a worker: no invocation lasts a day. */
const NO_END_MS = 24 * 60 * 60_000;

/** Returns the remaining time plus a second, so that no other attempt starts beside this one. */
export function defaultLeaseMs(remainingTimeMs: number): number {
  if (!Number.isFinite(remainingTimeMs) || remainingTimeMs > NO_END_MS) return DEFAULT_LEASE_MS;
  return Math.max(Math.ceil(remainingTimeMs), 0) + LEASE_BEYOND_INVOCATION_MS;
}

/**
 * The longest default lease if a redelivery may come before the invocation ends. Lambda retries an
 * asynchronous invocation after a minute: a dead process's lease must have lapsed by then, or the retry is
 * wasted. A busy event loop still has half a minute to renew it.
 */
// rule: short-default-lease
export const SHORT_LEASE_MS = 45_000;

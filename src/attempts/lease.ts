import type { Stop } from '../base/stop.ts';
import type { SettleOutcome } from '../claims/claim-store.ts';
import { asError, missingOutcome } from '../claims/store-errors.ts';
import type { Attempt } from './attempt.ts';
import { LeaseLostError } from './stop-errors.ts';
import type { AttemptScope } from './scope.ts';

/** Makes the lease last at least `minimumMs` from now; it never becomes shorter. Never rejects. */
export async function extend(attempt: Attempt, minimumMs: number): Promise<SettleOutcome> {
  if (attempt.isCommitted || !attempt.hasClaim) return 'stored';
  const [outcome = { error: missingOutcome() }] = await extendLeases([attempt], minimumMs, attempt.scope);
  return outcome;
}

/** For the handler: makes its lease last at least `leaseMs` from now, or rejects. */
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

/** Makes leases last at least `minimumMs` from now, in one request; none becomes shorter. Never rejects. */
export async function extendLeases(
  attempts: readonly Attempt[],
  minimumMs: number,
  { claims: { store, rules }, time: { clock, deadline } }: AttemptScope,
  signal: Stop = deadline.answerNow,
): Promise<SettleOutcome[]> {
  // rule: lease-as-told
  const askedAt = clock.now();
  const retentionMs = rules.retention.inProgress;
  const extensions = attempts.map(({ key, owner, leaseUntil }) => ({
    key,
    owner,
    // rule: growing-extension
    leaseMs: Math.max(minimumMs, leaseUntil - askedAt),
    retentionMs,
  }));
  try {
    const outcomes = await store.extend(extensions, { signal });
    for (const [index, attempt] of attempts.entries()) {
      // The store's lease begins when it writes; what the handler sees must not be later than that.
      const leaseUntil = askedAt + (extensions[index]?.leaseMs ?? 0);
      if (outcomes[index] === 'stored' && leaseUntil > attempt.leaseUntil) attempt.leaseUntil = leaseUntil;
    }
    return await Promise.all(
      attempts.map((attempt, index) =>
        unlessCommitted(attempt, outcomes[index] ?? { error: missingOutcome() }),
      ),
    );
  } catch (thrown) {
    const error = asError(thrown);
    return attempts.map(() => ({ error }));
  }
}

/** The outcome of an extension. A refusal may be caused by this attempt's own commit, whose answer has not arrived yet. */
async function unlessCommitted(attempt: Attempt, outcome: SettleOutcome): Promise<SettleOutcome> {
  if (outcome !== 'lost') return outcome;
  await attempt.transaction?.whenAnswered();
  return attempt.isCommitted ? 'stored' : 'lost';
}

/** Whether a claim has waited so long for its start that little of its lease is left. */
export function isShort({ leaseUntil, scope: { time } }: Attempt): boolean {
  // rule: short-lease
  return leaseUntil - time.clock.now() < time.leaseMs() / 2;
}

/** Renews the leases that are short, in one request, before their attempts start. False: may not start. Never rejects. */
export async function ensureLeases(attempts: readonly Attempt[], scope: AttemptScope): Promise<boolean[]> {
  const { clock, deadline, leaseMs } = scope.time;
  const short = attempts.filter(isShort);
  if (short.length === 0) return attempts.map(() => true);
  // Not waited for beyond the time when it may still start: then its claim has to be given back.
  const outcomes = await extendLeases(short, leaseMs(), scope, deadline.stop);
  const notRenewed = new Set(short.filter((_, index) => outcomes[index] !== 'stored'));
  // A renewal that took longer than the lease that it wrote is void.
  // rule: late-renewal
  return attempts.map((attempt) => !notRenewed.has(attempt) && attempt.leaseUntil > clock.now());
}

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

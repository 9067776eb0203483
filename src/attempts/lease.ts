import type { SettleOutcome } from '../claims/claim-store.ts';
import type { Stop } from '../base/stop.ts';
import { asError, missingOutcome } from '../claims/store-errors.ts';
import type { HeldClaim } from './held-claim.ts';
import type { AttemptScope } from './scope.ts';

/** The lease under which a handler runs. */
export interface Lease {
  /** Until when no other attempt starts, in epoch milliseconds. */
  readonly leaseUntil: number;
  /** Whether the work is completed already, so that there is no lease to lose. */
  readonly isCommitted: boolean;
  /** Makes it last at least `minimumMs` from now. Never rejects. */
  extend(minimumMs: number): Promise<SettleOutcome>;
}

/** A lease with the claim behind it. */
export interface LeasedClaim extends Lease {
  readonly key: string;
  readonly claim: HeldClaim;
  /** The outcome of an extension, for a claim that may have been completed meanwhile. */
  unlessCommitted(outcome: SettleOutcome): Promise<SettleOutcome>;
}

/** Makes leases last at least `minimumMs` from now, in one request; none becomes shorter. Never rejects. */
export async function extendLeases(
  attempts: readonly LeasedClaim[],
  minimumMs: number,
  { store, clock, rules, deadline }: AttemptScope,
  signal: Stop = deadline.answerNow,
): Promise<SettleOutcome[]> {
  const askedAt = clock.now();
  const retentionMs = rules.retention.inProgress;
  const extensions = attempts.map(({ key, claim: { owner, leaseUntil } }) => ({
    key,
    owner,
    leaseMs: Math.max(minimumMs, leaseUntil - askedAt),
    retentionMs,
  }));
  try {
    const outcomes = await store.extend(extensions, signal);
    attempts.forEach(({ claim }, index) => {
      // The store's lease begins when it writes; what the handler sees must not be later than that.
      const leaseUntil = askedAt + (extensions[index]?.leaseMs ?? 0);
      if (outcomes[index] === 'stored' && leaseUntil > claim.leaseUntil) claim.leaseUntil = leaseUntil;
    });
    return await Promise.all(
      attempts.map((attempt, index) =>
        attempt.unlessCommitted(outcomes[index] ?? { error: missingOutcome() }),
      ),
    );
  } catch (thrown) {
    const error = asError(thrown);
    return attempts.map(() => ({ error }));
  }
}

/** Whether a claim has waited so long for its start that little of its lease is left. */
export function isShort({ leaseUntil }: Lease, { leaseMs, clock }: AttemptScope): boolean {
  return leaseUntil - clock.now() < leaseMs() / 2;
}

/** Renews the leases that are short, in one request, before their attempts start. False: may not start. Never rejects. */
export async function ensureLeases(
  attempts: readonly LeasedClaim[],
  scope: AttemptScope,
): Promise<boolean[]> {
  const { clock, deadline } = scope;
  const short = attempts.filter((attempt) => isShort(attempt, scope));
  if (short.length === 0) return attempts.map(() => true);
  // Not waited for beyond the time when it may still start: then its claim has to be given back.
  const outcomes = await extendLeases(short, scope.leaseMs(), scope, deadline.stop);
  const notRenewed = new Set(short.filter((_, index) => outcomes[index] !== 'stored'));
  // A renewal that took longer than the lease that it wrote is void.
  return attempts.map((attempt) => !notRenewed.has(attempt) && attempt.leaseUntil > clock.now());
}

import { randomUUID } from 'node:crypto';
import type { Claim, ClaimAdmin } from 'batchlatch/operations';
import { drawn } from './drawn.ts';
import { idOf, keyOf, kindOf, KINDS, type KindOfWork } from './kinds-of-work.ts';
import { durationOf, FIRST_NUMBER, MOST_RECEIVES } from './trouble.ts';

export interface EarlierClaimsOptions {
  readonly seed: number;
  readonly now: number;
  /** Work items per second. */
  readonly rate: number;
  /** How long completed claims are kept, in milliseconds. */
  readonly retentionMs: number;
}

/**
 * Returns completed claims from before the demo, at its rate, so that the plots have data: the last ten
 * minutes, but at most 900 claims. Some needed a second attempt, and a few of those were released by a
 * person.
 */
export function earlierClaims(options: EarlierClaimsOptions): Claim[] {
  const { seed, now, rate } = options;
  const count = Math.min(MOST_CLAIMS, Math.round(LONGEST_SECONDS * rate));
  return Array.from({ length: count }, (_, index) => {
    const number = FIRST_NUMBER - 1 - index;
    const age = ((index + drawn(seed, number, 100) / 100) / rate) * 1_000;
    return earlierClaim(number, Math.round(now - age) - 2_000, options);
  });
}

const DAY = 86_400_000;
const MOST_CLAIMS = 900;
const LONGEST_SECONDS = 600;
const RETRIED_SHARE = 0.06;
const RELEASED_SHARE = 0.004;

function earlierClaim(number: number, claimedAt: number, { seed, retentionMs }: EarlierClaimsOptions): Claim {
  const kind = kindOf(number);
  const id = idOf(kind, number);
  const worker = kind.workers[number % kind.workers.length] ?? kind.namespace;
  const completedAt = claimedAt + durationOf(seed, number, 1, 'none');
  const done: Claim = {
    ...claimOf(kind, id, worker, claimedAt),
    status: 'COMPLETED',
    leaseUntil: claimedAt + 45_000,
    updatedAt: completedAt,
    completedAt,
    expiresAt: completedAt + retentionMs,
    result: JSON.stringify(kind.result(id)),
  };
  const share = drawn(seed, -number, 1_000) / 1_000;
  if (share >= RETRIED_SHARE) return done;
  if (share >= RELEASED_SHARE) return { ...done, attempt: 2, createdAt: claimedAt - 5_200 };
  return releasedBefore(done, kind);
}

function releasedBefore(done: Claim, { errors }: KindOfWork): Claim {
  const { claimedAt = done.createdAt } = done;
  const [name, message] = errors.declined;
  const release = {
    at: claimedAt - 1_500,
    operation: 'release',
    operator: 'ann@laptop',
    reason: 'the customer has corrected it',
    from: { status: 'PARKED', owner: randomUUID(), attempt: 1, error: { name, message } },
  } as const;
  return { ...done, attempt: 2, createdAt: claimedAt - 25_000, history: [release] };
}

/**
 * Returns claims that wait for a person, as the imports of two tenants and a payment leave them, and a completed one
 * whose work may have run twice.
 */
export function claimsWithAPast(now: number, retentionMs: number): Claim[] {
  const [orders] = KINDS;
  if (orders === undefined) return [];
  const at = now - 9 * 60_000;
  const parked = { status: 'PARKED', leaseUntil: at + 45_000, expiresAt: now + 90 * DAY } as const;
  const ofTenants = ['acme', 'globex'].flatMap((tenant) =>
    Array.from({ length: 30 }, (_, index): Claim => ({
      ...claimOf(orders, `${tenant}/o-${301 + index}`, 'charge-orders-1', at + index * 500),
      ...parked,
      updatedAt: at + index * 500 + 300,
      error: { name: 'CreditLimitReached', message: `the tenant ${tenant} has reached its limit` },
    })),
  );
  const lapsed = {
    name: 'LapsedLeaseError',
    message: 'The lease lapsed while the handler ran, so its outcome is unknown',
    code: 'BATCHLATCH_LAPSED_LEASE',
  };
  const unknown = ['o-21', 'o-22'].map((id): Claim => ({
    ...claimOf(orders, id, 'charge-orders-2', at),
    ...parked,
    updatedAt: at + 60_000,
    error: lapsed,
  }));
  const twice: Claim = {
    ...claimOf(orders, 'o-23', 'charge-orders-1', at),
    status: 'COMPLETED',
    attempt: 2,
    crashes: 1,
    claimedAt: at + 50_000,
    updatedAt: at + 51_000,
    completedAt: at + 51_000,
    leaseUntil: at + 95_000,
    expiresAt: at + retentionMs,
    result: JSON.stringify(orders.result('o-23')),
  };
  const tests = ['test-1', 'test-2'].map((id): Claim => ({
    ...twice,
    ...claimOf(orders, id, 'charge-orders-1', at),
    status: 'COMPLETED',
    updatedAt: at + 51_000,
    claimedAt: at + 50_500,
  }));
  return [...ofTenants, ...unknown, twice, ...tests];
}

/** A claim whose process died some time ago. */
export interface HungClaim {
  readonly kind: KindOfWork;
  readonly id: string;
  readonly claim: Claim;
}

/** Returns claims that hang when the demo starts. Their messages are in the dead-letter queue. */
export function hungClaims(now: number): HungClaim[] {
  return KINDS.flatMap((kind, index) =>
    [12, 3].slice(index).map((minutes) => {
      const id = idOf(kind, 60 - minutes);
      const claimedAt = now - (minutes + 1) * 60_000;
      const claim: Claim = {
        ...claimOf(kind, id, kind.dying, claimedAt),
        attempt: MOST_RECEIVES,
        crashes: MOST_RECEIVES - 1,
        createdAt: claimedAt - 60_000,
        leaseUntil: now - minutes * 60_000,
        expiresAt: now + 7 * DAY,
      };
      return { kind, id, claim };
    }),
  );
}

function claimOf(
  kind: KindOfWork,
  id: string,
  worker: string,
  claimedAt: number,
): Omit<Claim, 'leaseUntil' | 'expiresAt'> {
  return {
    key: keyOf(kind, id),
    status: 'IN_PROGRESS',
    owner: randomUUID(),
    attempt: 1,
    releases: 0,
    crashes: 0,
    createdAt: claimedAt,
    claimedAt,
    updatedAt: claimedAt,
    lockedBy: `${worker}:$LATEST ${randomUUID()}`,
    recordId: randomUUID(),
  };
}

/** Writes claims unchanged. */
export async function writeClaims(store: ClaimAdmin, claims: readonly Claim[]): Promise<void> {
  const size = store.requestSize ?? 25;
  for (let start = 0; start < claims.length; start += size) {
    await store.adopt?.(claims.slice(start, start + size));
  }
}

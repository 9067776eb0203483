import type { Claim } from '../../claims/claim.ts';
import type { Clock } from '../../base/clock.ts';
import type { ClaimAdmin } from '../../claims/claim-admin.ts';
import { type OperateOutcome, stateOf } from '../../claims/claim-admin.ts';
import { missingOutcome } from '../../claims/store-errors.ts';
import { operateOnClaims } from '../change-claims.ts';
import type { MessageWithClaims } from './claims-of-messages.ts';
import { type CompletedMessages, planOf, type WhyLeft } from './redrive-plan.ts';
import type { RedrivenClaim } from './redrive-result.ts';

export interface FreeClaimsPorts {
  readonly admin: ClaimAdmin | undefined;
  readonly clock: Clock;
  readonly operator: string;
  readonly reason: string;
  readonly completed: CompletedMessages;
  /** Nothing is released. */
  readonly dryRun: boolean;
}

/** A message that was decided over, and whose claims let it run if it is to be moved. */
export interface FreedMessage extends MessageWithClaims {
  readonly plan:
    | { readonly do: 'move' | 'delete' }
    | { readonly do: 'leave'; readonly why: WhyLeft; readonly error?: Error };
  readonly claims: readonly RedrivenClaim[];
}

/** Claims change while a person looks at them; more often than this, something else is wrong. */
const TRIES = 3;

/**
 * Decides over a message and releases its claims if it is to be moved. A claim that has changed since it was read is decided
 * over again as it is now.
 */
export async function freeClaims(found: MessageWithClaims, ports: FreeClaimsPorts): Promise<FreedMessage> {
  const first = found.message.claims;
  const released = new Set<string>();
  const freed = (plan: FreedMessage['plan']): FreedMessage => ({
    ...found,
    plan,
    claims: first.map((claim) => ({
      key: claim.key,
      state: stateOf(claim, ports.clock.now()),
      isReleased: released.has(claim.key),
    })),
  });
  let claims = first;
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const plan = planOf(
      { ...found, message: { ...found.message, claims } },
      ports.completed,
      ports.clock.now(),
    );
    if (plan.do !== 'move') return freed(plan);
    const outcomes = await release(plan.release, ports);
    const now = new Map<string, Claim | undefined>();
    for (const [index, { key }] of plan.release.entries()) {
      const outcome = outcomes[index] ?? { status: 'error', error: missingOutcome() };
      if (outcome.status === 'error')
        return freed({ do: 'leave', why: 'not-released', error: outcome.error });
      if (outcome.status === 'done') released.add(key);
      now.set(key, outcome.status === 'done' ? outcome.claim : outcome.found);
    }
    if (plan.release.every(({ key }) => released.has(key))) return freed({ do: 'move' });
    claims = claims.flatMap((claim) => (now.has(claim.key) ? (now.get(claim.key) ?? []) : claim));
  }
  return freed({ do: 'leave', why: 'not-released' });
}

/** It is not broken off: a release whose answer is lost may be stored all the same. */
async function release(
  claims: readonly Claim[],
  { admin, operator, reason, dryRun }: FreeClaimsPorts,
): Promise<OperateOutcome[]> {
  if (admin === undefined || claims.length === 0) return [];
  if (dryRun) return claims.map((claim) => ({ status: 'done', claim }));
  return operateOnClaims(admin, claims, { operation: 'release', operator, reason });
}

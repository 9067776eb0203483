import { randomUUID } from 'node:crypto';
import type { Claim, ClaimAdmin } from 'batchlatch/operations';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** How a claim of a test stands. */
export type StateOfTest = 'in-progress' | 'overdue' | 'failed' | 'parked' | 'completed';

/** A claim in a state, first claimed three minutes before `now`. */
export function aClaim(
  key: string,
  state: StateOfTest,
  { now = Date.now(), ...members }: Partial<Claim> & { readonly now?: number } = {},
): Claim {
  const createdAt = members.createdAt ?? now - 3 * MINUTE;
  const isRunning = state === 'in-progress' || state === 'overdue';
  return {
    key,
    status: STATUS[state],
    owner: randomUUID(),
    attempt: 1,
    releases: 0,
    crashes: 0,
    leaseUntil: state === 'in-progress' ? now + 10 * MINUTE : createdAt + MINUTE,
    expiresAt: now + 4 * DAY,
    createdAt,
    updatedAt: isRunning ? createdAt : createdAt + 2_000,
    lockedBy: 'OrdersFunction 42 4f1c2d3e',
    recordId: `message-of-${key}`,
    ...(state === 'completed' && { completedAt: createdAt + 2_000, result: '{"chargeId":"ch_1"}' }),
    ...((state === 'failed' || state === 'parked') && { error: DECLINED }),
    ...members,
  };
}

const STATUS = {
  'in-progress': 'IN_PROGRESS',
  overdue: 'IN_PROGRESS',
  failed: 'FAILED',
  parked: 'PARKED',
  completed: 'COMPLETED',
} as const satisfies Record<StateOfTest, Claim['status']>;

const DECLINED = { name: 'Declined', message: 'the card was declined', code: 'card_declined' };

/** Writes claims as they are. */
export async function put(store: ClaimAdmin, claims: readonly Claim[]): Promise<void> {
  for (let from = 0; from < claims.length; from += 1_000) {
    const outcomes = (await store.adopt?.(claims.slice(from, from + 1_000))) ?? [];
    const refused = outcomes.find((outcome) => outcome !== 'stored');
    if (refused !== undefined) throw new Error(`A claim was not written: ${JSON.stringify(refused)}`);
  }
}

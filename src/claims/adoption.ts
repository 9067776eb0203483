import type { Claim } from './claim.ts';
import { isForgotten } from './transitions.ts';

/** The outcome of copying a claim: `stored`, or `present` if the key has a row that was kept. */
export type AdoptOutcome =
  | 'stored'
  | 'present'
  | {
      /** Why it could not be written. */
      readonly error: Error;
    };

/**
 * Returns whether a claim of another store overwrites the stored row:
 *
 * | stored                                                       | then stored |
 * |--------------------------------------------------------------|-------------|
 * | absent, or retention over                                    | the claim   |
 * | an earlier state of the claim, neither completed nor running | the claim   |
 * | any other                                                    | unchanged   |
 *
 * Rows with an equal `createdAt` are states of one claim: the stored row is an earlier copy, and work went on
 * in the other store. A repeated copy therefore brings only changes.
 */
export function isAdopted(stored: Claim | undefined, claim: Claim, now: number): boolean {
  if (stored === undefined || isForgotten(stored, now)) return true;
  if (stored.createdAt !== claim.createdAt || stored.status === 'COMPLETED') return false;
  // Another owner has taken the copy over and is running it.
  const isLive = stored.status === 'IN_PROGRESS' && stored.leaseUntil > now;
  if (isLive && stored.owner !== claim.owner) return false;
  if (stored.attempt !== claim.attempt) return stored.attempt < claim.attempt;
  // An attempt may end in the millisecond it began, so timestamps alone cannot tell the two apart.
  const hasEnded = stored.owner === claim.owner && claim.status !== 'IN_PROGRESS';
  return stored.updatedAt < claim.updatedAt || (stored.status === 'IN_PROGRESS' && hasEnded);
}

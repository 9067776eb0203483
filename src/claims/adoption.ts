import type { Claim } from './claim.ts';
import { isForgotten } from './transitions.ts';

/** What became of one claim of another store: written, or left out because its key has a row; nothing was written then. */
export type AdoptOutcome =
  | 'stored'
  | 'present'
  | {
      /** Why it could not be written. */
      readonly error: Error;
    };

/**
 * Whether a claim of another store is written over the row that is stored:
 *
 * | stored                                                        | then stored |
 * |---------------------------------------------------------------|-------------|
 * | absent, or retention over                                     | the claim   |
 * | an earlier state of the claim, neither completed nor running  | the claim   |
 * | any other                                                     | unchanged   |
 *
 * The rows of one key are states of one claim if the key was claimed first in the same millisecond: then the row that is stored
 * was copied from the other store before, where work went on. So a copy that is made again brings what has changed.
 */
export function isAdopted(stored: Claim | undefined, claim: Claim, now: number): boolean {
  if (stored === undefined || isForgotten(stored, now)) return true;
  if (stored.createdAt !== claim.createdAt || stored.status === 'COMPLETED') return false;
  // Who took it over here is running it now.
  const isLive = stored.status === 'IN_PROGRESS' && stored.leaseUntil > now;
  if (isLive && stored.owner !== claim.owner) return false;
  if (stored.attempt !== claim.attempt) return stored.attempt < claim.attempt;
  // An attempt ends once, be it in the millisecond in which it began.
  const hasEnded = stored.owner === claim.owner && claim.status !== 'IN_PROGRESS';
  return stored.updatedAt < claim.updatedAt || (stored.status === 'IN_PROGRESS' && hasEnded);
}

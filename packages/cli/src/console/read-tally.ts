import { type Claim, type ClaimState, keyHash } from 'batchlatch/operations';
import { isoTime } from '../tool-base/iso-time.ts';
import type { HolderJson, OverdueJson } from './api.ts';
import { EndTally } from './end-tally.ts';

const MOST_OVERDUE = 10;
/** The most holders that are shown: those with the most claims. */
const MOST_HOLDERS = 50;

/** A tally of claims for the pages. */
export class ReadTally {
  readonly counts: Record<ClaimState, number> = {
    'in-progress': 0,
    overdue: 0,
    failed: 0,
    parked: 0,
    completed: 0,
  };
  readonly ends: EndTally = new EndTally();
  readonly #holders = new Map<string | null, { running: number; overdue: number; oldest: number }>();
  #overdue: Claim[] = [];

  add(claim: Claim, state: ClaimState): void {
    this.counts[state] += 1;
    this.ends.add(claim, state);
    if (state === 'overdue') this.#addOverdue(claim);
    if (state === 'overdue' || state === 'in-progress') this.#addHeld(claim, state);
  }

  #addOverdue(claim: Claim): void {
    const last = this.#overdue.at(-1);
    if (this.#overdue.length === MOST_OVERDUE && last !== undefined && last.leaseUntil <= claim.leaseUntil) {
      return;
    }
    this.#overdue = [...this.#overdue, claim]
      .toSorted((one, other) => one.leaseUntil - other.leaseUntil)
      .slice(0, MOST_OVERDUE);
  }

  #addHeld({ lockedBy, claimedAt, createdAt }: Claim, state: 'overdue' | 'in-progress'): void {
    const name = holderOf(lockedBy);
    const holder = this.#holders.get(name) ?? { running: 0, overdue: 0, oldest: Infinity };
    if (state === 'overdue') holder.overdue += 1;
    else holder.running += 1;
    holder.oldest = Math.min(holder.oldest, claimedAt ?? createdAt);
    this.#holders.set(name, holder);
  }

  overdue(): readonly OverdueJson[] {
    return this.#overdue.map(({ key, leaseUntil, lockedBy, attempt }) => ({
      key,
      keyHash: keyHash(key),
      sinceMs: leaseUntil,
      ...(lockedBy !== undefined && { lockedBy }),
      attempt,
    }));
  }

  /** Returns the holders of claims, those with the most claims first. */
  holders(): readonly HolderJson[] {
    return [...this.#holders]
      .map(([lockedBy, { running, overdue, oldest }]) => {
        const oldestClaimedAt = isoTime(oldest);
        return { lockedBy, running, overdue, ...(oldestClaimedAt !== undefined && { oldestClaimedAt }) };
      })
      .toSorted((one, other) => other.running + other.overdue - one.running - one.overdue)
      .slice(0, MOST_HOLDERS);
  }
}

/** Returns function and version without the request id. */
function holderOf(lockedBy: string | undefined): string | null {
  return lockedBy?.split(' ', 1)[0] || null;
}

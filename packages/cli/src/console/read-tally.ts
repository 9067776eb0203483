import { type Claim, type ClaimState, keyHash, type ParkedKind, parkedKindOf } from 'batchlatch/operations';
import { isoTime } from '../tool-base/iso-time.ts';
import type { HolderJson, OverdueJson, StatisticsJson } from './api.ts';
import { holderOf } from './claim-narrowing.ts';
import { EndTally, histogramOf } from './end-tally.ts';
import { ErrorTally } from './error-tally.ts';

const MOST_OVERDUE = 10;
/** The most holders that are shown: those with the most claims. */
const MOST_HOLDERS = 50;
/** The most errors that are shown: those of the most claims. */
const MOST_ERRORS = 20;

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
  readonly #errors = new ErrorTally();
  readonly #parkedKinds: Record<ParkedKind, number> = { lapsed: 0, failed: 0, attempts: 0, done: 0 };
  /** When each claim that is not completed was first claimed. */
  readonly #opened: number[] = [];
  readonly #holders = new Map<string | null, { running: number; overdue: number; oldest: number }>();
  #overdue: Claim[] = [];

  add(claim: Claim, state: ClaimState): void {
    this.counts[state] += 1;
    this.ends.add(claim, state);
    this.#errors.add(claim, state);
    const kind = parkedKindOf(claim);
    if (kind !== undefined) this.#parkedKinds[kind] += 1;
    if (state !== 'completed') this.#opened.push(claim.createdAt);
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

  #addHeld(claim: Claim, state: 'overdue' | 'in-progress'): void {
    const { claimedAt, createdAt } = claim;
    const name = holderOf(claim);
    const holder = this.#holders.get(name) ?? { running: 0, overdue: 0, oldest: Infinity };
    if (state === 'overdue') holder.overdue += 1;
    else holder.running += 1;
    holder.oldest = Math.min(holder.oldest, claimedAt ?? createdAt);
    this.#holders.set(name, holder);
  }

  /** Returns what the pages group by error, by kind and by age. */
  groups(now: number): Pick<StatisticsJson, 'errors' | 'parkedKinds' | 'ageMs'> {
    const ageMs = histogramOf(this.#opened.map((at) => Math.max(now - at, 0)));
    return {
      errors: this.#errors.result(MOST_ERRORS),
      parkedKinds: { ...this.#parkedKinds },
      ...(ageMs !== undefined && { ageMs }),
    };
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

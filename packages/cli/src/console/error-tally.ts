import type { Claim, ClaimState } from 'batchlatch/operations';
import { isoTime } from '../tool-base/iso-time.ts';

/** The failed and parked claims with one error. */
export interface ErrorGroup {
  /** The name of the error. */
  readonly name: string;
  /** The message of the latest. */
  readonly message: string;
  readonly failed: number;
  readonly parked: number;
  /** When the latest was stored. */
  readonly latestAt?: string;
}

interface Counts {
  message: string;
  failed: number;
  parked: number;
  latestAt: number;
}

/** A tally of failed and parked claims by the names of their errors. */
export class ErrorTally {
  readonly #groups = new Map<string, Counts>();

  add({ error, updatedAt }: Claim, state: ClaimState): void {
    if (error === undefined || (state !== 'failed' && state !== 'parked')) return;
    const { name, message } = error;
    const group = this.#groups.get(name) ?? { message, failed: 0, parked: 0, latestAt: -Infinity };
    group[state] += 1;
    if (updatedAt > group.latestAt) Object.assign(group, { message, latestAt: updatedAt });
    this.#groups.set(name, group);
  }

  /** Returns at most `most` groups, the largest first. */
  result(most: number = Number.POSITIVE_INFINITY): readonly ErrorGroup[] {
    return [...this.#groups]
      .toSorted(([, one], [, other]) => other.failed + other.parked - one.failed - one.parked)
      .slice(0, most)
      .map(([name, { latestAt, ...group }]) => {
        const at = isoTime(latestAt);
        return { name, ...group, ...(at !== undefined && { latestAt: at }) };
      });
  }
}

import { hasCode } from '../base/errors.ts';
import type { ClaimReading } from './claim-admin.ts';
import { type NewerRow, NewerRowError } from './row-format.ts';

/** The rows that were read but are not claims. */
export type LeftOut = Pick<ClaimReading, 'unreadable' | 'newer'>;

export function leavingOut(): {
  /** Notes the error of reading a row; rethrows any other error. */
  note(thrown: unknown): void;
  of(): LeftOut;
} {
  let unreadable = 0;
  const newer: NewerRow[] = [];
  return {
    note(thrown) {
      if (thrown instanceof NewerRowError) newer.push(thrown.row);
      else if (hasCode(thrown, 'BATCHLATCH_NOT_A_CLAIM')) unreadable += 1;
      else throw thrown;
    },
    of: () => ({ ...(unreadable > 0 && { unreadable }), ...(newer.length > 0 && { newer }) }),
  };
}

/** Adds up the rows that two readings left out. */
export function leftOutOf(one: LeftOut, other: LeftOut): LeftOut {
  const unreadable = (one.unreadable ?? 0) + (other.unreadable ?? 0);
  const newer = [...(one.newer ?? []), ...(other.newer ?? [])];
  return { ...(unreadable > 0 && { unreadable }), ...(newer.length > 0 && { newer }) };
}

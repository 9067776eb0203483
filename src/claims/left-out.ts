import { hasCode } from '../base/errors.ts';
import type { ClaimReading } from './claim-admin.ts';
import { type NewerRow, NewerRowError } from './row-format.ts';

/** The rows of a reading that are not among its claims. */
export type LeftOut = Pick<ClaimReading, 'unreadable' | 'newer'>;

/** Notes the rows that cannot be read as claims. */
export function leavingOut(): {
  /** Takes what reading a row has thrown, and throws what is another error. */
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

/** What two readings left out. */
export function leftOutOf(one: LeftOut, other: LeftOut): LeftOut {
  const unreadable = (one.unreadable ?? 0) + (other.unreadable ?? 0);
  const newer = [...(one.newer ?? []), ...(other.newer ?? [])];
  return { ...(unreadable > 0 && { unreadable }), ...(newer.length > 0 && { newer }) };
}

import type { Claim } from '../../../src/claims/claim.ts';
import type { ClaimStore, Completion } from '../../../src/claims/claim-store.ts';
import type { CommitOutcome } from '../../../src/claims/commit.ts';
import type { ClaimAdmin } from '../../../src/claims/claim-admin.ts';

/** A store for one trace, whose clock stands still until it is set. */
export interface ReplayedStore {
  readonly store: ClaimStore;
  readonly admin: ClaimAdmin;
  /** From now on it is this time, in epoch milliseconds, for whoever decides. */
  setTime(ms: number): void;
  /** Writes an effect that is named after the owner together with the completion. Absent for stores without transactions. */
  readonly commit?: (completion: Completion) => Promise<CommitOutcome>;
  /** Which of these owners' effects are written. */
  effectsOf(owners: readonly string[]): Promise<readonly string[]>;
  /** What the database does with a row that is past its retention. */
  remove(key: string): Promise<void>;
  /** The row as it is stored, also past its retention. */
  rowOf(key: string): Promise<Claim | undefined>;
}

/** Makes stores for traces, each with this tolerance; what they share, such as a server, ends with `stop`. */
export interface StoreAdapter {
  /** Whether callers' clocks decide, so that traces with clocks that differ make sense. */
  readonly takesTolerance: boolean;
  create(toleranceMs: number): ReplayedStore;
  stop(): Promise<void>;
}

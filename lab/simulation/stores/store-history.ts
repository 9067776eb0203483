import type { Claim } from '../../../src/claims/claim.ts';
import type {
  AcquireOutcome,
  ClaimRequest,
  Completion,
  LeaseExtension,
  OwnedClaim,
  SettleOutcome,
  Settlement,
} from '../../../src/claims/claim-store.ts';
import type { CommitOutcome } from '../../../src/claims/commit.ts';

/** A request as it was done, by the clock of its process: with what was answered, and the row as it was stored then. */
export type StoreEvent = { readonly at: number; readonly row: Claim | undefined } & (
  | { readonly operation: 'acquire'; readonly item: ClaimRequest; readonly outcome: AcquireOutcome }
  | { readonly operation: 'settle'; readonly item: Settlement; readonly outcome: SettleOutcome }
  | { readonly operation: 'extend'; readonly item: LeaseExtension; readonly outcome: SettleOutcome }
  | { readonly operation: 'start'; readonly item: OwnedClaim; readonly outcome: SettleOutcome }
  | { readonly operation: 'commit'; readonly item: Completion; readonly outcome: CommitOutcome }
);

/** Told of every request that the memory store of a simulation does. */
export type RecordEvent = (event: StoreEvent) => void;

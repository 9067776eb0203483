import type { AcquireOutcome, SettleOutcome } from '../claims/claim-store.ts';

/** What an attempt works on. */
export interface Work {
  readonly key: string;
  /** What observers know the record by. */
  readonly recordId: string;
}

/** The answer to a request for a claim that was not granted. */
export type Refusal = Exclude<AcquireOutcome, { readonly status: 'acquired' }>;

/** How an attempt ended in the store; `committed`: its effect and its completion are written together. */
export type Settled = SettleOutcome | 'committed';

/** Makes the error that says why a handler was stopped; what the handler then threw is its cause. */
export type StopReason = (cause?: unknown) => Error;

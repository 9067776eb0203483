import type { AcquireOutcome, SettleOutcome } from '../claims/claim-store.ts';

/** A record or call that an attempt works on. */
export interface Work {
  readonly key: string;
  readonly recordId: string;
}

/** The answer to a request for a claim that was not granted. */
export type Refusal = Exclude<AcquireOutcome, { readonly status: 'acquired' }>;

/** The store's answer; `committed`: effect and completion were stored in one transaction. */
export type Settled = SettleOutcome | 'committed';

/** Creates the error that says why a handler was stopped, with the handler's own error as its cause. */
export type StopReason = (cause?: unknown) => Error;

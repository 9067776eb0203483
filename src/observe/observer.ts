/** Told what happens to every record, as it happens. What an observer throws is ignored: it must not harm a record. */
export interface Observer {
  /** `invocation` is one object for all events of an invocation. */
  onEvent(event: BatchEvent, invocation?: ObservedInvocation): void;
}

/** The invocation that an event belongs to. */
export interface ObservedInvocation {
  /** Lambda's request id; absent outside Lambda. */
  readonly requestId?: string;
}

interface OfRecord {
  /** Identifies the record to its sender: the messageId, the event id. */
  readonly recordId: string;
  /** The idempotency key. It may hold payload (`jmesPath`, functions): log its hash. */
  readonly key: string;
}

interface OfAttempt extends OfRecord {
  readonly owner: string;
  /** The fencing token. */
  readonly attempt: number;
}

/** Why a record that was claimed, or could have been, was not started. */
export type NotStartedReason = 'deadline' | 'order' | 'lease-lapsed';

/** All durations are milliseconds. */
export type BatchEvent =
  | (OfAttempt & {
      readonly type: 'claimed';
      readonly leaseUntil: number;
      /** Of the request to the store that carried this claim among others. */
      readonly durationMs: number;
    })
  /** The previous attempt died without settling; comes after `claimed`. */
  | (OfAttempt & { readonly type: 'tookOver'; readonly crashes: number })
  | (OfRecord & { readonly type: 'duplicate'; readonly within: 'store' | 'batch' })
  | (OfRecord & { readonly type: 'conflict'; readonly leaseUntil: number })
  | (OfRecord & { readonly type: 'mismatch' })
  /** The store could not say whether the key is free. */
  | (OfRecord & { readonly type: 'claimFailed'; readonly error: unknown })
  | { readonly type: 'invalid'; readonly recordId: string; readonly error: unknown }
  /** It could not be decoded, or was not read, now, and may be later; it has no key yet. */
  | { readonly type: 'decodeFailed'; readonly recordId: string; readonly error: unknown }
  | (OfAttempt & { readonly type: 'started' })
  | (OfAttempt & { readonly type: 'succeeded'; readonly durationMs: number })
  | (OfAttempt & { readonly type: 'failed'; readonly durationMs: number; readonly error: unknown })
  /** The handler's items and its completion are written, in one transaction (`commit` of `batchlatch/dynamodb`). */
  | (OfAttempt & { readonly type: 'committed'; readonly items: number; readonly durationMs: number })
  /** The handler threw after its commit was written: the record is completed. Comes after `failed`. */
  | (OfAttempt & { readonly type: 'failedAfterCommit'; readonly error: unknown })
  /** Time was up, the signal was aborted, and the handler still runs: its claim is left to its lease. */
  | (OfAttempt & { readonly type: 'abandoned'; readonly durationMs: number; readonly error: unknown })
  /** How attempts ended, just before it is stored: what was done can be judged even if storing it fails. */
  | { readonly type: 'settling'; readonly ends: readonly SettlingEnd[] }
  /** Failed for good: stored as parked now, or found parked. */
  | (OfRecord & { readonly type: 'parked'; readonly error: unknown })
  /** The dead-letter queue has what failed for good; it is acknowledged. */
  | (OfRecord & { readonly type: 'deadLettered' })
  /** The dead-letter queue did not take it; it is handed back. */
  | (OfRecord & { readonly type: 'deadLetterFailed'; readonly error: unknown })
  /** The queue's own timeout now decides when the message comes again, or how long it stays invisible. */
  | { readonly type: 'visibilityNotChanged'; readonly recordId: string; readonly error: unknown }
  /** `onStoreError: 'run'`: it runs, or was acknowledged, although the store did not do its part. */
  | (OfRecord & { readonly type: 'withoutClaim'; readonly error: unknown })
  /** The claim is another owner's now; nothing of this attempt was stored. `effectDone`: its handler had succeeded. */
  | (OfAttempt & { readonly type: 'leaseLost'; readonly effectDone: boolean })
  /** The end of the attempt could not be stored. `effectDone`: its handler had succeeded. */
  | (OfAttempt & { readonly type: 'settleFailed'; readonly effectDone: boolean; readonly error: unknown })
  /** The handler's result cannot be stored; the completion was, without it. */
  | (OfAttempt & { readonly type: 'resultDropped'; readonly error: unknown })
  | (OfRecord & { readonly type: 'notStarted'; readonly reason: NotStartedReason })
  | {
      readonly type: 'batchFinished';
      readonly records: number;
      /** How many records ended in which way; the keys are those of the outcomes. */
      readonly outcomes: Readonly<Record<string, number>>;
      /** How many of them ran or were acknowledged without a claim (`onStoreError: 'run'`); only where there were any. */
      readonly withoutClaim?: number;
      readonly durationMs: number;
    };

/** How one attempt ended, as it is about to be stored. */
export interface SettlingEnd extends OfAttempt {
  /** `complete`: done. `fail`: it may run again. `park`: it failed for good. `release`: it was given back unstarted. */
  readonly end: 'complete' | 'fail' | 'park' | 'release';
}

import type { ObservedInvocation } from './observed.ts';

/**
 * Told what happens to every record. What an observer throws is ignored. Only `onEvent` is needed; the rest costs nothing.
 */
export interface Observer {
  /**
   * `invocation` is one object for all events of an invocation.
   *
   * @param event What happened.
   * @param invocation The invocation that it belongs to.
   */
  onEvent(event: BatchEvent, invocation?: ObservedInvocation): void;
  /**
   * Whether events of this type are wanted; asked once for each invocation. Default: all. Unwanted `claimed`, `started`, `succeeded`
   * and `settling`, which every record brings, are not made; unwanted others may come all the same.
   *
   * @param type The type of event.
   */
  wants?(type: BatchEvent['type']): boolean;
  /**
   * Called before an invocation's first event, in the asynchronous context of whoever called the processor.
   *
   * @param invocation The invocation that begins.
   */
  onInvocation?(invocation: ObservedInvocation): void;
  /**
   * Called when a record has its outcome, at most once for each. A record may have none when the answer leaves.
   *
   * @param recordId Identifies the record to its sender.
   * @param outcome The `status` of a `RecordOutcome`.
   * @param invocation The invocation that it belongs to.
   */
  onOutcome?(recordId: string, outcome: string, invocation: ObservedInvocation): void;
  /**
   * Called around every call of the handler, such as with `AsyncLocalStorage.run`. It has to call `run`, which calls the
   * handler once, before it returns. A handler for which it does not is called all the same.
   *
   * @param attempts The attempts whose handler is called; of `forBatches` many.
   * @param invocation The invocation that they belong to.
   * @param run Calls the handler.
   */
  aroundHandler?(attempts: readonly ObservedAttempt[], invocation: ObservedInvocation, run: () => void): void;
  /**
   * Called around all that an invocation does, as `aroundHandler` is around a handler.
   *
   * @param invocation The invocation that begins.
   * @param run Begins it, and returns at once.
   */
  aroundInvocation?(invocation: ObservedInvocation, run: () => void): void;
  /**
   * The same for a call of the store, which several invocations may share.
   *
   * @param recordIds The records of the invocation that it serves.
   * @param invocation The invocation that they belong to.
   * @param send Makes the call.
   */
  aroundRequest?(recordIds: readonly string[], invocation: ObservedInvocation, send: () => void): void;
}

/** A record and its key. */
export interface ObservedKey {
  /** Identifies the record to its sender: the messageId, the event id. */
  readonly recordId: string;
  /** The idempotency key. It may hold payload (`jmesPath`, functions): log its hash. */
  readonly key: string;
}

/** One attempt of one record. */
export interface ObservedAttempt extends ObservedKey {
  /** A token that no other attempt has. */
  readonly owner: string;
  /** The fencing token; 0 of a record that runs without a claim. */
  readonly attempt: number;
}

/** Why a record that was claimed, or could have been, was not started. */
export type NotStartedReason = 'deadline' | 'order' | 'lease-lapsed' | 'suspect';

/** What happened, told apart by `type`. All durations are milliseconds. */
export type BatchEvent =
  | (ObservedAttempt & {
      /** A key was claimed. */
      readonly type: 'claimed';
      /** Until when the claim is exclusive, in epoch milliseconds. */
      readonly leaseUntil: number;
      /** Of the request to the store that carried this claim among others, in milliseconds. */
      readonly durationMs: number;
    })
  | (ObservedAttempt & {
      /** The previous attempt died without settling; comes after `claimed`. */
      readonly type: 'tookOver';
      /** How many attempts in a row have died. */
      readonly crashes: number;
    })
  | (ObservedKey & {
      /** The key is completed, or another record of the batch has the same. */
      readonly type: 'duplicate';
      /** Where the other one is: `store` completed before, `batch` in this batch. */
      readonly within: 'store' | 'batch';
    })
  | (ObservedKey & {
      /** Another owner holds the key. */
      readonly type: 'conflict';
      /** Until when, in epoch milliseconds. */
      readonly leaseUntil: number;
    })
  | (ObservedKey & {
      /** The key came before with another payload. */
      readonly type: 'mismatch';
    })
  | (ObservedKey & {
      /** The store could not say whether the key is free. */
      readonly type: 'claimFailed';
      /** What the store failed with. */
      readonly error: unknown;
    })
  | {
      /** It cannot be read, has no key, or its body does not fit the schema. */
      readonly type: 'invalid';
      /** Identifies the record to its sender. */
      readonly recordId: string;
      /** Why. */
      readonly error: unknown;
    }
  | {
      /** It could not be decoded, or was not read, now, and may be later; it has no key yet. */
      readonly type: 'decodeFailed';
      /** Identifies the record to its sender. */
      readonly recordId: string;
      /** Why. */
      readonly error: unknown;
    }
  | (ObservedAttempt & {
      /** The handler is called. */
      readonly type: 'started';
    })
  | (ObservedAttempt & {
      /** The handler returned, and its work counts as done. */
      readonly type: 'succeeded';
      /** How long the handler ran, in milliseconds. */
      readonly durationMs: number;
    })
  | (ObservedAttempt & {
      /** The handler failed. */
      readonly type: 'failed';
      /** How long the handler ran, in milliseconds. */
      readonly durationMs: number;
      /** What it failed with. */
      readonly error: unknown;
    })
  | (ObservedAttempt & {
      /** The handler's items and its completion are written, in one transaction (`commit` of `batchlatch/dynamodb`). */
      readonly type: 'committed';
      /** How many items. */
      readonly items: number;
      /** How long the transaction took, in milliseconds. */
      readonly durationMs: number;
    })
  | (ObservedAttempt & {
      /** The handler threw after its commit was written: the record is completed. Comes after `failed`. */
      readonly type: 'failedAfterCommit';
      /** What it threw. */
      readonly error: unknown;
    })
  | (ObservedAttempt & {
      /** Time was up, the signal was aborted, and the handler still runs: its claim is left to its lease. */
      readonly type: 'abandoned';
      /** How long the handler has run, in milliseconds. */
      readonly durationMs: number;
      /** Why its signal was aborted. */
      readonly error: unknown;
    })
  | (ObservedAttempt & {
      /** The handler still runs 5 s after its signal was aborted, or has ended after its invocation. Once for each run. */
      readonly type: 'stuck';
      /** How long ago its signal was aborted, in milliseconds. */
      readonly sinceAbortMs: number;
      /** It went on for longer than that after its invocation, and has ended now. */
      readonly hasEnded: boolean;
    })
  | {
      /** How attempts ended, just before it is stored: what was done can be judged even if storing it fails. */
      readonly type: 'settling';
      /** One for each attempt. */
      readonly ends: readonly SettlingEnd[];
    }
  | {
      /**
       * The store has not taken how attempts ended. It is asked again until their leases or the invocation are nearly over.
       * Once for all records and invocations of a processor, until the store has taken one.
       */
      readonly type: 'settleDelayed';
      /** What the store failed with. */
      readonly error: unknown;
    }
  | (ObservedKey & {
      /** Failed for good: stored as parked now, or found parked. */
      readonly type: 'parked';
      /** Why. */
      readonly error: unknown;
    })
  | (ObservedKey & {
      /** The dead-letter queue has what failed for good; it is acknowledged. */
      readonly type: 'deadLettered';
    })
  | (ObservedKey & {
      /** The dead-letter queue did not take it; it is handed back. */
      readonly type: 'deadLetterFailed';
      /** What SQS failed with. */
      readonly error: unknown;
    })
  | {
      /** The queue's own timeout now decides when the message comes again, or how long it stays invisible. */
      readonly type: 'visibilityNotChanged';
      /** Identifies the record to its sender. */
      readonly recordId: string;
      /** What SQS failed with. */
      readonly error: unknown;
    }
  | (ObservedKey & {
      /** `onStoreError: runWithoutClaim()`: it runs, or was acknowledged, although the store did not do its part. */
      readonly type: 'withoutClaim';
      /** What the store failed with. */
      readonly error: unknown;
    })
  | (ObservedAttempt & {
      /** The claim is another owner's now; nothing of this attempt was stored. */
      readonly type: 'leaseLost';
      /** Its handler had succeeded. */
      readonly effectDone: boolean;
    })
  | (ObservedAttempt & {
      /** The end of the attempt could not be stored. */
      readonly type: 'settleFailed';
      /** Its handler had succeeded. */
      readonly effectDone: boolean;
      /** What the store failed with. */
      readonly error: unknown;
    })
  | (ObservedAttempt & {
      /** The handler's result cannot be stored; the completion was, without it. */
      readonly type: 'resultDropped';
      /** Why. */
      readonly error: unknown;
    })
  | (ObservedKey & {
      /** It was not started, and is handed back. */
      readonly type: 'notStarted';
      /** Why. */
      readonly reason: NotStartedReason;
    })
  | {
      /** All records have ended, or had to. */
      readonly type: 'batchFinished';
      /** How many records were delivered. */
      readonly records: number;
      /** How many records ended in which way; the keys are those of the outcomes. */
      readonly outcomes: Readonly<Record<string, number>>;
      /** How many of them ran or were acknowledged without a claim (`onStoreError`); only where there were any. */
      readonly withoutClaim?: number;
      /** How long the invocation took, in milliseconds. */
      readonly durationMs: number;
    };

/** How one attempt ended, as it is about to be stored. */
export interface SettlingEnd extends ObservedAttempt {
  /** `complete`: done. `fail`: it may run again. `park`: it failed for good. `release`: it was given back unstarted. */
  readonly end: 'complete' | 'fail' | 'park' | 'release';
}

import type { ObservedInvocation } from './observed.ts';

/** An observer of every record. Errors that it throws are ignored. Only `onEvent` is required. */
export interface Observer {
  /**
   * Called for each event. All events of an invocation get the same `invocation`.
   *
   * @param event The event.
   * @param invocation The invocation that it belongs to.
   */
  onEvent(event: BatchEvent, invocation?: ObservedInvocation): void;
  /**
   * Returns whether events of this type are wanted; called once per invocation. Default: all. Unwanted
   * `claimed`, `started`, `succeeded` and `settling` events, which occur for every record, are not created.
   * Other unwanted events may still be sent.
   *
   * @param type The type of event.
   */
  wants?(type: BatchEvent['type']): boolean;
  /**
   * Called before the first event of an invocation, in the caller's asynchronous context.
   *
   * @param invocation The invocation that begins.
   */
  onInvocation?(invocation: ObservedInvocation): void;
  /**
   * Called at most once for each record, when its outcome is known. A record may have none when the response
   * is sent.
   *
   * @param recordId Identifies the record to its sender.
   * @param outcome The `status` of a `RecordOutcome`.
   * @param invocation The invocation that it belongs to.
   */
  onOutcome?(recordId: string, outcome: string, invocation: ObservedInvocation): void;
  /**
   * Called around every call of the handler, for example to use `AsyncLocalStorage.run`. It must call `run`
   * before it returns; `run` calls the handler once. If it does not, the handler is called afterwards.
   *
   * @param attempts The attempts whose handler is called; many with `forBatches`.
   * @param invocation The invocation that they belong to.
   * @param run Calls the handler.
   */
  aroundHandler?(attempts: readonly ObservedAttempt[], invocation: ObservedInvocation, run: () => void): void;
  /**
   * Called around the whole invocation, as `aroundHandler` is around a handler.
   *
   * @param invocation The invocation that begins.
   * @param run Begins the invocation and returns at once.
   */
  aroundInvocation?(invocation: ObservedInvocation, run: () => void): void;
  /**
   * Called around a call of the store, which several invocations may share.
   *
   * @param recordIds The records of the invocation that it serves.
   * @param invocation The invocation that they belong to.
   * @param send Makes the call.
   */
  aroundRequest?(recordIds: readonly string[], invocation: ObservedInvocation, send: () => void): void;
}

/** A record and its key. */
export interface ObservedKey {
  /** Identifies the record to its sender: the message ID, the event ID. */
  readonly recordId: string;
  /** The idempotency key. Log only its hash: it may contain payload (`jmesPath`, functions). */
  readonly key: string;
}

/** An attempt of a record. */
export interface ObservedAttempt extends ObservedKey {
  /** The random token of this attempt. */
  readonly owner: string;
  /** The fencing token; 0 for a record that runs without a claim. */
  readonly attempt: number;
}

/** Why a record that was claimed, or could have been, was not started. */
export type NotStartedReason = 'deadline' | 'order' | 'lease-lapsed' | 'suspect';

/** An event, discriminated by `type`. All durations are in milliseconds. */
export type BatchEvent =
  | (ObservedAttempt & {
      /** A key was claimed. */
      readonly type: 'claimed';
      /** The end of the lease, in epoch milliseconds. */
      readonly leaseUntil: number;
      /** The duration of the store request, which may carry several claims, in milliseconds. */
      readonly durationMs: number;
    })
  | (ObservedAttempt & {
      /** The previous attempt died without settling. Follows `claimed`. */
      readonly type: 'tookOver';
      /** How many attempts in a row have died. */
      readonly crashes: number;
    })
  | (ObservedKey & {
      /** The key is completed, or another record of the batch has the same key. */
      readonly type: 'duplicate';
      /** Where the duplicate was found: `store` for an earlier completion, `batch` for this batch. */
      readonly within: 'store' | 'batch';
    })
  | (ObservedKey & {
      /** Another owner holds the key. */
      readonly type: 'conflict';
      /** The end of that owner's lease, in epoch milliseconds. */
      readonly leaseUntil: number;
    })
  | (ObservedKey & {
      /** The key was used before with another payload. */
      readonly type: 'mismatch';
    })
  | (ObservedKey & {
      /** The store could not say whether the key is free. */
      readonly type: 'claimFailed';
      /** The store's error. */
      readonly error: unknown;
    })
  | {
      /** The record cannot be read, has no key, or its body does not fit the schema. */
      readonly type: 'invalid';
      /** Identifies the record to its sender. */
      readonly recordId: string;
      /** The error. */
      readonly error: unknown;
    }
  | {
      /** The record was not decoded, read or checked by its schema; a later delivery may be. */
      readonly type: 'decodeFailed';
      /** Identifies the record to its sender. */
      readonly recordId: string;
      /** The error. */
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
      /** The handler's error. */
      readonly error: unknown;
    })
  | (ObservedAttempt & {
      /** `commit` of `batchlatch/dynamodb` has written the handler's items and its completion. */
      readonly type: 'committed';
      /** The number of items. */
      readonly items: number;
      /** How long the transaction took, in milliseconds. */
      readonly durationMs: number;
    })
  | (ObservedAttempt & {
      /** The handler threw after its commit was written; the record is completed. Follows `failed`. */
      readonly type: 'failedAfterCommit';
      /** The handler's error. */
      readonly error: unknown;
    })
  | (ObservedAttempt & {
      /** The handler still runs although time is up. Its claim stays until the lease ends. */
      readonly type: 'abandoned';
      /** How long the handler has run, in milliseconds. */
      readonly durationMs: number;
      /** The reason of the abort. */
      readonly error: unknown;
    })
  | (ObservedAttempt & {
      /** The handler still runs 5 s after its abort, or has ended after its invocation. Once for each run. */
      readonly type: 'stuck';
      /** Milliseconds since its signal was aborted. */
      readonly sinceAbortMs: number;
      /** Whether the handler has ended by now. Its invocation may be over. */
      readonly hasEnded: boolean;
    })
  | {
      /** Attempts are about to be settled. Sent before the write, so that the ends are known if it fails. */
      readonly type: 'settling';
      /** The ends, one for each attempt. */
      readonly ends: readonly SettlingEnd[];
    }
  | {
      /**
       * The store has not accepted a settlement. The write is retried until the leases or the invocation are
       * nearly over. Sent once for all records and invocations of a processor, until the store accepts one.
       */
      readonly type: 'settleDelayed';
      /** The store's error. */
      readonly error: unknown;
    }
  | (ObservedKey & {
      /** The record failed for good: it was parked now, or found parked. */
      readonly type: 'parked';
      /** The error. */
      readonly error: unknown;
    })
  | (ObservedKey & {
      /** The dead-letter queue has the record, which is acknowledged. */
      readonly type: 'deadLettered';
    })
  | (ObservedKey & {
      /** The dead-letter queue did not accept the record, which is handed back. */
      readonly type: 'deadLetterFailed';
      /** The error from SQS. */
      readonly error: unknown;
    })
  | {
      /** The visibility timeout was not changed. The queue's own one decides when the message comes again. */
      readonly type: 'visibilityNotChanged';
      /** Identifies the record to its sender. */
      readonly recordId: string;
      /** The error from SQS. */
      readonly error: unknown;
    }
  | (ObservedKey & {
      /** With `runWithoutClaim()`: the record runs, or is acknowledged, although the store failed. */
      readonly type: 'withoutClaim';
      /** The store's error. */
      readonly error: unknown;
    })
  | (ObservedAttempt & {
      /** The claim now belongs to another owner; nothing of this attempt was stored. */
      readonly type: 'leaseLost';
      /** Whether the handler had succeeded. */
      readonly effectDone: boolean;
    })
  | (ObservedAttempt & {
      /** The attempt could not be settled, or its handler returned though its commit was not written. */
      readonly type: 'settleFailed';
      /** Whether the handler had succeeded. */
      readonly effectDone: boolean;
      /** The store's error. */
      readonly error: unknown;
    })
  | (ObservedAttempt & {
      /** The completion was stored without the handler's result, which cannot be stored. */
      readonly type: 'resultDropped';
      /** The error. */
      readonly error: unknown;
    })
  | (ObservedKey & {
      /** The record was not started and is handed back. */
      readonly type: 'notStarted';
      /** The reason. */
      readonly reason: NotStartedReason;
    })
  | {
      /** The batch is over: all records have ended, or time is up. */
      readonly type: 'batchFinished';
      /** How many records were delivered. */
      readonly records: number;
      /** The number of records by the status of their outcome. */
      readonly outcomes: Readonly<Record<string, number>>;
      /** The `outcomes` by type of message; `other` for undeclared types. Absent without `routes()`. */
      readonly types?: Readonly<Record<string, Readonly<Record<string, number>>>>;
      /** How many records ran or were acknowledged without a claim (`onStoreError`). Absent if zero. */
      readonly withoutClaim?: number;
      /** How long the invocation took, in milliseconds. */
      readonly durationMs: number;
    };

/** The end of an attempt, about to be stored. */
export interface SettlingEnd extends ObservedAttempt {
  /** `complete`: done. `fail`: may run again. `park`: failed for good. `release`: never started. */
  readonly end: 'complete' | 'fail' | 'park' | 'release';
}

/**
 * Told what happens to every record, as it happens. What an observer throws is ignored: it must not harm a record. Only
 * `onEvent` is needed; what an observer leaves out costs nothing.
 */
export interface Observer {
  /** `invocation` is one object for all events of an invocation. */
  onEvent(event: BatchEvent, invocation?: ObservedInvocation): void;
  /** Called before an invocation's first event, in the asynchronous context of whoever called the processor. */
  onInvocation?(invocation: ObservedInvocation): void;
  /**
   * Called when a record has its outcome, one of those that `batchFinished` counts; at most once for each record, and not for
   * one that has none when the answer leaves.
   */
  onOutcome?(recordId: string, outcome: string, invocation: ObservedInvocation): void;
  /**
   * Called around every call of the handler; it has to call `run` before it returns, for instance inside
   * `AsyncLocalStorage.run`. `run` calls the handler once, however often it is called, and tells nothing of its end: events
   * do. If `run` was not called, the handler is called all the same. Of `forBatches` there are many attempts in one call.
   */
  aroundHandler?(attempts: readonly ObservedAttempt[], invocation: ObservedInvocation, run: () => void): void;
}

/** The invocation that an event belongs to. */
export interface ObservedInvocation {
  /** Lambda's request id; absent outside Lambda. */
  readonly requestId?: string;
  /** The function's name; absent where neither the context nor the environment has one. */
  readonly functionName?: string;
  /** Which service delivered the records, such as `sqs`; `unknown` where none of them can be read. */
  readonly source: string;
  /** The name of the queue, stream or topic of its first record that can be read, as `ObservedRecord` has it. */
  readonly destination: string | undefined;
  /** How many records were delivered. */
  readonly records: number;
  /**
   * What is known of a record beside its body, made when it is asked for; undefined for an id that the invocation has
   * not. Of records with the same id, the first.
   */
  recordOf(recordId: string): ObservedRecord | undefined;
}

/** What a record says of itself beside its body. */
export interface ObservedRecord {
  /** The queue's, stream's or topic's ARN; undefined where the service does not tell. */
  readonly sourceArn: string | undefined;
  /** The name of the queue, stream, topic, table, bucket or event source, of at most 256 visible characters. */
  readonly destination: string | undefined;
  /** Epoch milliseconds; undefined where the service does not tell. Kafka and EventBridge take the sender's word for it. */
  readonly sentAt: number | undefined;
  /** How often the record has been delivered, from 1; of other sources than SQS always 1. */
  readonly receiveCount: number;
  /**
   * A string attribute or header by its name, such as `traceparent`; `x-amzn-trace-id` is also SQS's own `AWSTraceHeader`.
   * Whoever can send a message chooses them: undefined for what is longer than 8,192 characters or holds others than visible ASCII.
   */
  headerOf(name: string): string | undefined;
}

interface OfRecord {
  /** Identifies the record to its sender: the messageId, the event id. */
  readonly recordId: string;
  /** The idempotency key. It may hold payload (`jmesPath`, functions): log its hash. */
  readonly key: string;
}

/** One attempt of one record. */
export interface ObservedAttempt extends OfRecord {
  /** A token that no other attempt has. */
  readonly owner: string;
  /** The fencing token; 0 of a record that runs without a claim. */
  readonly attempt: number;
}

/** Why a record that was claimed, or could have been, was not started. */
export type NotStartedReason = 'deadline' | 'order' | 'lease-lapsed';

/** All durations are milliseconds. */
export type BatchEvent =
  | (ObservedAttempt & {
      readonly type: 'claimed';
      readonly leaseUntil: number;
      /** Of the request to the store that carried this claim among others. */
      readonly durationMs: number;
    })
  /** The previous attempt died without settling; comes after `claimed`. */
  | (ObservedAttempt & { readonly type: 'tookOver'; readonly crashes: number })
  | (OfRecord & { readonly type: 'duplicate'; readonly within: 'store' | 'batch' })
  | (OfRecord & { readonly type: 'conflict'; readonly leaseUntil: number })
  | (OfRecord & { readonly type: 'mismatch' })
  /** The store could not say whether the key is free. */
  | (OfRecord & { readonly type: 'claimFailed'; readonly error: unknown })
  | { readonly type: 'invalid'; readonly recordId: string; readonly error: unknown }
  /** It could not be decoded, or was not read, now, and may be later; it has no key yet. */
  | { readonly type: 'decodeFailed'; readonly recordId: string; readonly error: unknown }
  | (ObservedAttempt & { readonly type: 'started' })
  | (ObservedAttempt & { readonly type: 'succeeded'; readonly durationMs: number })
  | (ObservedAttempt & { readonly type: 'failed'; readonly durationMs: number; readonly error: unknown })
  /** The handler's items and its completion are written, in one transaction (`commit` of `batchlatch/dynamodb`). */
  | (ObservedAttempt & { readonly type: 'committed'; readonly items: number; readonly durationMs: number })
  /** The handler threw after its commit was written: the record is completed. Comes after `failed`. */
  | (ObservedAttempt & { readonly type: 'failedAfterCommit'; readonly error: unknown })
  /** Time was up, the signal was aborted, and the handler still runs: its claim is left to its lease. */
  | (ObservedAttempt & { readonly type: 'abandoned'; readonly durationMs: number; readonly error: unknown })
  /**
   * The handler still runs 5 s after its signal was aborted; `hasEnded`: it went on for longer than that after its
   * invocation, and has ended now. Once for each run, `sinceAbortMs` after the abort.
   */
  | (ObservedAttempt & { readonly type: 'stuck'; readonly sinceAbortMs: number; readonly hasEnded: boolean })
  /** How attempts ended, just before it is stored: what was done can be judged even if storing it fails. */
  | { readonly type: 'settling'; readonly ends: readonly SettlingEnd[] }
  /**
   * The store has not taken how attempts ended. It is asked again until their leases or the invocation are nearly over. Once for all
   * records and invocations of a processor, until the store has taken one.
   */
  | { readonly type: 'settleDelayed'; readonly error: unknown }
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
  | (ObservedAttempt & { readonly type: 'leaseLost'; readonly effectDone: boolean })
  /** The end of the attempt could not be stored. `effectDone`: its handler had succeeded. */
  | (ObservedAttempt & {
      readonly type: 'settleFailed';
      readonly effectDone: boolean;
      readonly error: unknown;
    })
  /** The handler's result cannot be stored; the completion was, without it. */
  | (ObservedAttempt & { readonly type: 'resultDropped'; readonly error: unknown })
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
export interface SettlingEnd extends ObservedAttempt {
  /** `complete`: done. `fail`: it may run again. `park`: it failed for good. `release`: it was given back unstarted. */
  readonly end: 'complete' | 'fail' | 'park' | 'release';
}

/** Tells an observer something. Neither what it throws nor a rejection may change what happens, or end the process. */
export function harmless(tell: () => unknown): void {
  try {
    const returned = tell();
    if (returned instanceof Promise) returned.catch(() => undefined);
  } catch {
    // An error of the observer must not harm a record.
  }
}

/** Calls `run` once inside of what the observer puts around it, or without that where the observer does not call it. */
export function callAround(
  observer: Observer,
  attempts: readonly ObservedAttempt[],
  invocation: ObservedInvocation,
  run: () => void,
): void {
  let isCalled = false;
  const once = (): void => {
    if (isCalled) return;
    isCalled = true;
    run();
  };
  harmless(() => observer.aroundHandler?.(attempts, invocation, once));
  once();
}

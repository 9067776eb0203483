import type { Attempt } from '../attempts/attempt.ts';
import type { AttemptEnd } from '../attempts/handler-end.ts';
import type { Host } from '../attempts/host.ts';
import type { AttemptRules } from '../attempts/rules.ts';
import type { Running } from '../attempts/running.ts';
import type { AttemptClaims, AttemptScope, AttemptWatch, RenewalOptions } from '../attempts/scope.ts';
import type { QueueAccess } from '../base/queue-member.ts';
import type { AcquireOutcome, ClaimRequest } from '../claims/claim-store.ts';
import type { Namespace } from '../keys/key-string.ts';
import type { KeySelector } from '../keys/key-selector.ts';
import type { QueueUrlOf } from '../queues/visibility.ts';
import type { SqsClient } from '../queues/sqs-client.ts';
import type { DecodeStep } from '../sources/decode-step.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { Source } from '../sources/source.ts';
import type { Ledger } from './ledger.ts';
import type { Observing } from './observing.ts';
import type { RecordOutcome } from './outcomes.ts';
import type { BatchReading, KeyedRecord, PlannedRecord } from './plan.ts';
import type { Context } from 'aws-lambda';

// One file, because these know one another: the context has the settings, and what the settings name is called with the context.

export type BatchAttempt = Attempt<PlannedRecord>;

/** What the records of one invocation share. */
export interface BatchContext extends AttemptScope {
  readonly settings: Settings;
  readonly lambda: Context | undefined;
  /** Undefined on Lambda. */
  readonly host: Host | undefined;
  /** The store, and the queues before it. */
  readonly claims: BatchClaims;
  /** What the observer is told. */
  readonly watch: BatchWatch;
  readonly ledger: Ledger;
  /** The attempts whose handlers run. */
  readonly running: Running;
  readonly sqs: SqsClient | undefined;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
}

/** The queue of requests for claims. */
type Acquires = QueueAccess<ClaimRequest, BatchAttempt, AcquireOutcome>;

interface BatchClaims extends AttemptClaims {
  readonly acquires: Acquires;
  readonly newOwner: () => string;
  /** Records that are being claimed in their turn, wait for a slot or run: what may soon bring a settlement. */
  readonly activity: { busy: number };
}

interface BatchWatch extends AttemptWatch, Pick<Observing, 'around' | 'noteOutcome'> {
  /** Rejects the batch with what was thrown where nothing may throw. */
  fail: (thrown: unknown) => void;
  /** Goes on with the batch after the answers of one request. */
  answered: () => void;
}

/** The options after they were checked, with their defaults. */
export interface Settings extends AttemptRules {
  readonly source: Source;
  readonly key: KeySelector;
  /** Undefined: the function's name. */
  readonly namespace: Namespace | undefined;
  readonly payloadValidation: KeySelector | undefined;
  readonly decode: readonly DecodeStep[];
  readonly concurrency: number;
  readonly settleLingerMs: number;
  readonly leaseMs: number | undefined;
  readonly deadlineMarginMs: number;
  readonly recordTimeoutMs: number | undefined;
  readonly retryable: ((error: unknown) => boolean) | undefined;
  /** Undefined: by the ARN that records carry. */
  readonly queueUrl: QueueUrlOf | undefined;
  /** Of an emulator, where the environment names one. */
  readonly sqsEndpoint: string | undefined;
  readonly reading: ReadingPolicy | undefined;
  readonly schema: SchemaPolicy<unknown> | undefined;
  readonly onConflict: ConflictPolicy | undefined;
  readonly onStoreError: StoreErrorPolicy | undefined;
  readonly deadLetter: DeadLetterPolicy | undefined;
  readonly heartbeat: HeartbeatPolicy | undefined;
  readonly visibility: VisibilityPolicy | undefined;
}

/** A value of an option. An imported function makes it and checks its own options: what nobody imports is in no bundle. */
interface ValueOf<Option extends string> {
  /** Its name. */
  readonly option: Option;
}

/** What `suspectsFirst()` gives. */
export interface ReadingPolicy extends ValueOf<'reading'> {
  /**
   * Reads the records of an event in an order of its own; undefined: it does not, with these records.
   *
   * @internal
   */
  read(reading: BatchReading, context: BatchContext): Promise<KeyedRecord[]> | undefined;
}

/**
 * What `standardSchema(…)` gives: it says what a body is.
 *
 * @typeParam Body The type of the schema's output.
 */
export interface SchemaPolicy<Body> extends ValueOf<'schema'> {
  /** Carries the type of the schema's output; never there at run time. */
  readonly body?: Body;
  /**
   * Puts the schema's output in the place of the body. Resolves with an end where the handler must not run.
   *
   * @internal
   */
  check(record: BatchRecord): Promise<AttemptEnd | undefined>;
}

/** What `waitForOwner({ timeoutMs })` gives. */
export interface ConflictPolicy extends ValueOf<'onConflict'> {
  /**
   * Asks again for a key that another owner holds. Resolves with what the record learns in the end.
   *
   * @internal
   */
  wait(
    known: AcquireOutcome,
    makeRequest: () => ClaimRequest,
    context: BatchContext,
  ): Promise<AcquireOutcome>;
}

/** What `runWithoutClaim()` gives. */
export interface StoreErrorPolicy extends ValueOf<'onStoreError'> {
  /**
   * The store could not give a claim. Returns whether the record runs all the same, `held` without one.
   *
   * @internal
   */
  goWithout(attempt: BatchAttempt, error: Error, context: BatchContext): boolean;
  /**
   * The effect is done and its completion could not be stored. Returns the outcome in place of `failed`.
   *
   * @internal
   */
  notStored(record: PlannedRecord, error: Error, context: BatchContext): RecordOutcome;
}

/** What `deadLetterQueue({ url })` gives. */
export interface DeadLetterPolicy extends ValueOf<'deadLetter'> {
  /**
   * Sends the record away, if it has failed for good.
   *
   * @internal
   */
  send(record: PlannedRecord, context: BatchContext): Promise<void>;
}

/** What `heartbeat()` gives. */
export interface HeartbeatPolicy extends ValueOf<'heartbeat'> {
  /** How leases are renewed while handlers run. @internal */
  readonly renewal: RenewalOptions;
  /**
   * Keeps unfinished messages invisible. Called beside every renewal of leases.
   *
   * @internal
   */
  keepInvisible(context: BatchContext): Promise<void>;
}

/** What `backoff()` gives. */
export interface VisibilityPolicy extends ValueOf<'visibility'> {
  /**
   * Says when what is handed back comes again, except for records that the host keeps (by their ids in the answer).
   *
   * @internal
   */
  delay(context: BatchContext, kept: ReadonlySet<string>): Promise<void>;
}

import type { Attempt } from '../attempts/attempt.ts';
import type { AttemptEnd, RunsTogether } from '../attempts/handler-end.ts';
import type { Host } from '../attempts/host.ts';
import type { AttemptRules } from '../attempts/rules.ts';
import type { Running } from '../attempts/running.ts';
import type { AttemptClaims, AttemptScope, AttemptWatch, RenewalOptions } from '../attempts/scope.ts';
import type { Starts } from '../attempts/starts.ts';
import type { QueueAccess } from '../base/queue-member.ts';
import type { AcquireOutcome, ClaimRequest } from '../claims/claim-store.ts';
import type { Namespace } from '../keys/key-string.ts';
import type { KeySelector } from '../keys/key-selector.ts';
import type { QueueUrlOf } from '../queues/visibility.ts';
import type { SqsClient } from '../queues/sqs-client.ts';
import type { DecodeStep } from '../sources/decode-step.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { Source, SourceEntry } from '../sources/source.ts';
import type { BatchHandler } from './batch-handler.ts';
import type { Ledger } from './ledger.ts';
import type { Observing } from './observing.ts';
import type { RecordOutcome } from './outcomes.ts';
import type { BatchReading, KeyedRecord, PlannedRecord, Routed } from './plan.ts';
import type { RecordHandler } from './record-handler.ts';
import type { Reach } from './record-route.ts';
import type { AheadOfTurns } from './step.ts';
import type { Context } from 'aws-lambda';

// One file: the context refers to the settings, and the policies in the settings take the context.

export type BatchAttempt = Attempt<PlannedRecord>;

/** The state that the records of one invocation share. */
export interface BatchContext extends AttemptScope {
  readonly settings: Settings;
  readonly lambda: Context | undefined;
  /** Undefined on Lambda. */
  readonly host: Host | undefined;
  readonly claims: BatchClaims;
  readonly watch: BatchWatch;
  readonly ledger: Ledger;
  readonly running: Running;
  readonly sqs: SqsClient | undefined;
  /** Returns a number from 0 up to, not including, 1. */
  readonly random: () => number;
}

type Acquires = QueueAccess<ClaimRequest, BatchAttempt, AcquireOutcome>;

interface BatchClaims extends AttemptClaims {
  readonly acquires: Acquires;
  readonly newOwner: () => string;
  /** The number of records in turn that are being claimed, wait for a slot or run. */
  readonly activity: { busy: number };
}

interface BatchWatch extends AttemptWatch, Pick<Observing, 'around' | 'noteOutcome'> {
  /** Rejects the batch with an error thrown in a callback. */
  fail: (thrown: unknown) => void;
  /** Continues the batch after the answers of one request. */
  answered: () => void;
}

/** The options of a processor, checked, with their defaults. */
export interface Settings extends AttemptRules {
  readonly source: Source;
  readonly key: KeySelector;
  /** Undefined: the name of the function. */
  readonly namespace: Namespace | undefined;
  readonly payloadValidation: KeySelector | undefined;
  readonly decode: readonly DecodeStep[];
  readonly concurrency: number;
  readonly settleLingerMs: number;
  readonly leaseMs: number | undefined;
  readonly deadlineMarginMs: number;
  readonly recordTimeoutMs: number | undefined;
  readonly retryable: ((error: unknown) => boolean) | undefined;
  /** Undefined: derived from the ARN of the records. */
  readonly queueUrl: QueueUrlOf | undefined;
  /** The endpoint of an emulator, if the environment names one. */
  readonly sqsEndpoint: string | undefined;
  /** Undefined: one handler gets all records. */
  readonly routing: RoutingPolicy | undefined;
  readonly reading: ReadingPolicy | undefined;
  readonly schema: SchemaPolicy<unknown> | undefined;
  readonly onConflict: ConflictPolicy | undefined;
  readonly onStoreError: StoreErrorPolicy | undefined;
  readonly deadLetter: DeadLetterPolicy | undefined;
  readonly heartbeat: HeartbeatPolicy | undefined;
  readonly visibility: VisibilityPolicy | undefined;
}

/** The value of an option. Each is made by its own imported function, so unused ones are not bundled. */
interface ValueOf<Option extends string> {
  /** The name of the option. */
  readonly option: Option;
}

/** A handler that processes many records in one call. */
export interface GatheringHandler {
  /**
   * Whether other slots stand in place of the batch's.
   *
   * @internal
   */
  readonly hasOwnSlots?: boolean;
  /**
   * Gathers records into calls.
   *
   * @internal
   */
  gather(context: BatchContext, starts: Starts): Gathering;
}

/** Gathers records, of which `concurrency` may be in one call. `activity` counts those that may join. */
export type GatherFor = (
  handler: BatchHandler,
  context: BatchContext,
  starts: Starts,
  activity: { readonly busy: number },
  concurrency: number,
) => Gathering;

/** The gathering of records into one call before they start. */
export interface Gathering {
  /** Resolves with the call that the record must run at once; undefined if it may no longer start. */
  join(attempt: BatchAttempt): Promise<Call | undefined>;
  /** Called when a record that could have joined has ended. */
  startIfComplete(): void;
  stop(): void;
}

/** The handler that a record runs, and the attempts that share the call. */
export interface Call {
  readonly handler: RecordHandler;
  readonly together: RunsTogether;
}

/** The handlers by type of message, made by `routes()`. They take the place of the handler. */
export interface RoutingPolicy extends ValueOf<'routes'>, Partial<GatheringHandler> {
  /**
   * The risks of finding the route and the key of a record, as for `KeySelector`.
   *
   * @internal
   */
  readonly efforts: readonly KeySelector['effort'][];
  /**
   * Throws a `ConfigurationError` for options that routes exclude.
   *
   * @internal
   */
  assertFit(options: { readonly schema?: unknown; readonly key?: KeySelector<never> }): void;
  /**
   * Returns the same routes for batch handlers. `gather` gathers the records of one route.
   *
   * @internal
   */
  inBatches(gather: GatherFor): RoutingPolicy;
  /**
   * Returns the function that gives each record of a batch its route and key. It never throws.
   *
   * @internal
   */
  open(context: BatchContext, namespace: Namespace): (record: BatchRecord) => Routed;
  /**
   * Returns the type of a record that observers see: a declared one, or `other`.
   *
   * @internal
   */
  typeOf(record: SourceEntry | PlannedRecord): string;
  /**
   * Counts the outcomes of a batch by type, for observers.
   *
   * @internal
   */
  countsOf(ledger: Ledger): { readonly types: Readonly<Record<string, Readonly<Record<string, number>>>> };
  /**
   * Returns the claims to request ahead, so that the records of a full route hold up no others.
   *
   * @internal
   */
  claimsAhead(records: readonly PlannedRecord[], reach: Reach): AheadOfTurns | undefined;
}

/** The value of `reading`, made by `suspectsFirst()`. */
export interface ReadingPolicy extends ValueOf<'reading'> {
  /**
   * Reads the records in an order of its own. Returns undefined if the records need no such order.
   *
   * @internal
   */
  read(reading: BatchReading, context: BatchContext): Promise<KeyedRecord[]> | undefined;
}

/**
 * The value of `schema`, made by `standardSchema(…)`: it checks and types bodies.
 *
 * @typeParam Body The type of the schema's output.
 */
export interface SchemaPolicy<Body> extends ValueOf<'schema'> {
  /** Carries the output type of the schema; never set at run time. */
  readonly body?: Body;
  /**
   * Replaces the body by the schema's output. Resolves with an end if the handler must not run.
   *
   * @internal
   */
  check(record: BatchRecord): Promise<AttemptEnd | undefined>;
}

/** The value of `onConflict`, made by `waitForOwner({ timeoutMs })`. */
export interface ConflictPolicy extends ValueOf<'onConflict'> {
  /**
   * Asks again for a key that another owner holds. Resolves with the last answer. `onLost` is told of a claim
   * that an unanswered request may still get after it.
   *
   * @internal
   */
  wait(
    known: AcquireOutcome,
    makeRequest: () => ClaimRequest,
    onLost: (request: ClaimRequest) => void,
    context: BatchContext,
  ): Promise<AcquireOutcome>;
}

/** The value of `onStoreError`, made by `runWithoutClaim()`. */
export interface StoreErrorPolicy extends ValueOf<'onStoreError'> {
  /**
   * Returns whether to run a record, `held` without a claim, when the store could not give one.
   *
   * @internal
   */
  goWithout(attempt: BatchAttempt, error: Error, context: BatchContext): boolean;
  /**
   * Returns the outcome of a record whose effect is done but whose completion could not be stored.
   *
   * @internal
   */
  notStored(record: PlannedRecord, error: Error, context: BatchContext): RecordOutcome;
}

/** The value of `deadLetter`, made by `deadLetterQueue({ url })`. */
export interface DeadLetterPolicy extends ValueOf<'deadLetter'> {
  /**
   * Sends the record to the dead-letter queue if it failed permanently.
   *
   * @internal
   */
  send(record: PlannedRecord, context: BatchContext): Promise<void>;
}

/** The value of `heartbeat`, made by `heartbeat()`. */
export interface HeartbeatPolicy extends ValueOf<'heartbeat'> {
  /** How leases are renewed while handlers run. @internal */
  readonly renewal: RenewalOptions;
  /**
   * Keeps unfinished messages invisible. Called with every renewal of leases.
   *
   * @internal
   */
  keepInvisible(context: BatchContext): Promise<void>;
}

/** The value of `visibility`, made by `backoff()`. */
export interface VisibilityPolicy extends ValueOf<'visibility'> {
  /**
   * Sets when records that are handed back are delivered again, except those that the host keeps.
   *
   * @internal
   */
  delay(context: BatchContext, kept: ReadonlySet<string>): Promise<void>;
}

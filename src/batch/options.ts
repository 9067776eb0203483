import type { ClaimStore } from '../claims/claim-store.ts';
import type { Clock } from '../base/clock.ts';
import type { RetentionMs } from '../claims/retention.ts';
import type { KeySelector } from '../keys/key-selector.ts';
import type { Observer } from '../observe/observer.ts';
import type { CommandClient } from '../options/command-client.ts';
import type { SqsClient } from '../queues/sqs-client.ts';
import type { DecodeStep } from '../sources/decode-step.ts';
import type { Source } from '../sources/source.ts';
import type {
  ConflictPolicy,
  DeadLetterPolicy,
  HeartbeatPolicy,
  ReadingPolicy,
  SchemaPolicy,
  StoreErrorPolicy,
  VisibilityPolicy,
} from './context.ts';

/**
 * Options of `createBatchProcessor`.
 *
 * @typeParam Body The type of the records' bodies.
 */
export interface BatchProcessorOptions<Body = unknown> {
  /**
   * Where claims live: a store, alone or wrapped in `cached(store, { max })` and `resultsIn(storage, store)`. Default: DynamoDB,
   * in the table that `CLAIMS_TABLE_NAME` names.
   */
  readonly store?: ClaimStore;
  /**
   * Which service invokes the function, such as `sqs()`. It gives the handler's record its type, and keeps the others out
   * of the bundle; an event of another service is an `UnsupportedEventError`. Default: `allSources()`.
   */
  readonly source?: Source;
  /** What makes two records the same work. Default: `messageId()`. */
  readonly key?: KeySelector<Body>;
  /**
   * Prefix of every key; a function gives keys per tenant. Default: the Lambda function's name. Two processors of one
   * process that share a store and the default are refused at their first batch, unless their keys are messageIds.
   */
  readonly namespace?: string | ((record: Parameters<KeySelector<Body>>[0]) => string);
  /** Records running at once. Default 10. */
  readonly concurrency?: number;
  /**
   * How long a finished record waits for others, to be settled in one request; and the longest that a claim waits for those of
   * invocations that overlap in the process. Default 5 ms.
   */
  readonly settleLingerMs?: number;
  /**
   * Length of a claim's lease. Default: what remains of the invocation plus a second, and at most 45,000 ms for every
   * source except SQS, because their next delivery may come before the invocation ends; in the worker two thirds of how long it hides
   * messages, at most 45,000 ms; 60,000 ms elsewhere.
   */
  readonly leaseMs?: number;
  /**
   * How long keys are remembered, in milliseconds: a number, or `{ completed, failed, parked }`. Default 4 days, SQS's
   * default retention; parked keys 90 days, also with a number that is smaller.
   */
  readonly retentionMs?: RetentionMs;
  /** How long before Lambda's timeout to stop and answer, in milliseconds. Default 1,000, but at most half of the remaining time. */
  readonly deadlineMarginMs?: number;
  /** The longest that one handler may run, in milliseconds. Default: no limit. */
  readonly recordTimeoutMs?: number;
  /**
   * Attempts after which a key is parked; crashes count, releases do not. Costs one write per record, which says that its
   * handler starts, so that a claim that never started is no crash. Default: no limit.
   */
  readonly maxAttempts?: number;
  /**
   * Attempts in a row that may crash (their lease lapsed and nothing was settled) before the key is parked without another
   * run. Default: no limit; after one, a record runs alone and after the others. Costs one write per record, as above. Also
   * how many processes may crash while they read a record, before it has a claim, until it is `invalid`; of these never
   * fewer than 3.
   */
  readonly maxCrashes?: number;
  /**
   * What to do with a key whose last attempt crashed and may have done its work: `rerun` (default), or `park` for work
   * that must not run a second time until a person has looked at it, or `retentionMs.parked` is over. `park` costs one
   * write per record.
   */
  readonly onLapsedLease?: 'rerun' | 'park';
  /**
   * What to do with a record whose claim, or whose completion, the claim store cannot store because it is unavailable:
   * `runWithoutClaim()` runs and acknowledges it all the same. Default: it is handed back.
   */
  readonly onStoreError?: StoreErrorPolicy;
  /**
   * Which errors may be tried again; the others park the key at once. Default: all except `PermanentError`.
   *
   * @param error What the handler threw.
   */
  readonly retryable?: (error: unknown) => boolean;
  /** What to do with a key that another owner holds: `waitForOwner({ timeoutMs })`. Default: the record is handed back. */
  readonly onConflict?: ConflictPolicy;
  /**
   * `new SQS()` or `new SQSClient()` of `@aws-sdk/client-sqs`: for `visibility`, `deadLetter`, and the
   * messages under `heartbeat`. Default: none.
   */
  readonly sqs?: SqsClient | CommandClient;
  /**
   * Where the queue is, for private endpoints. Default: AWS's URL for the records' ARN, or one at
   * `AWS_ENDPOINT_URL_SQS` or `AWS_ENDPOINT_URL` where an emulator's endpoint is in the environment.
   */
  readonly queueUrl?: string | ((queueArn: string) => string);
  /** When an SQS message that is handed back comes again: `backoff()`. Default: after the queue's visibility timeout. */
  readonly visibility?: VisibilityPolicy;
  /** Sends records that failed for good to a queue at once, with the error: `deadLetterQueue({ url })`. Default: off. */
  readonly deadLetter?: DeadLetterPolicy;
  /** Renews leases, and keeps SQS messages invisible, while handlers run: `heartbeat()`. Default: leases of every source but SQS. */
  readonly heartbeat?: HeartbeatPolicy;
  /** Gives the hash of what must be the same when a key comes again: `payloadHash({ include: ['amountCents'] })`. Default: off. */
  readonly payloadValidation?: KeySelector<Body>;
  /**
   * What is done to the payload of SQS, SNS, Kinesis and Kafka records before it is read, from the outside in, such as
   * `[gzip(), snsEnvelope()]`. Default: nothing.
   */
  readonly decode?: DecodeStep | readonly DecodeStep[];
  /** Checks bodies, and gives them their type: `standardSchema(…)` of a zod, valibot or arktype schema. Default: off. */
  readonly schema?: SchemaPolicy<Body>;
  /**
   * Reads records that were delivered before first, if reading them could have ended the process: `suspectsFirst()`. Default: all
   * records are read at once.
   */
  readonly reading?: ReadingPolicy;
  /** Called with what happens to every record. Default: JSON lines on standard output, by `BATCHLATCH_LOG_LEVEL`. */
  readonly observer?: Observer;
  /** For tests. Default: the system clock. */
  readonly clock?: Clock;
}

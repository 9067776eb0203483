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
   * The claim store, alone or wrapped in `cached(store, { max })` and `resultsIn(storage, store)`. Default:
   * DynamoDB, in the table that `CLAIMS_TABLE_NAME` names.
   */
  readonly store?: ClaimStore;
  /**
   * The service that invokes the function, such as `sqs()`. It types the handler's record and keeps other
   * sources out of the bundle. An event of another service throws an `UnsupportedEventError`. Default:
   * `allSources()`.
   */
  readonly source?: Source;
  /** Selects the key: records with equal keys are the same work. Default: `messageId()`. */
  readonly key?: KeySelector<Body>;
  /**
   * The prefix of every key; a function can return one per tenant. Default: the Lambda function's name. Two
   * processors of one process that share a store and the default throw at their first batch, unless their
   * keys are message ids.
   */
  readonly namespace?: string | ((record: Parameters<KeySelector<Body>>[0]) => string);
  /** How many records run at once. Default 10. */
  readonly concurrency?: number;
  /**
   * How long a finished record waits for others to be settled in one request, in milliseconds. A claim waits
   * at most as long for those of overlapping invocations in the process. Default 5.
   */
  readonly settleLingerMs?: number;
  /**
   * The length of a claim's lease, in milliseconds. Default: the remaining time of the invocation plus a
   * second. For every source except SQS at most 45,000, because the next delivery may come before the
   * invocation ends. In the worker two thirds of the time for which it hides messages, at most 45,000.
   * Elsewhere 60,000.
   */
  readonly leaseMs?: number;
  /**
   * How long keys are remembered, in milliseconds: a number, or `{ completed, failed, parked }`. Default: 4
   * days, which is SQS's default retention; at least 90 days for parked keys, unless `parked` is set.
   */
  readonly retentionMs?: RetentionMs;
  /**
   * Milliseconds before Lambda's timeout to stop and answer. Default 1,000, at most half the remaining time.
   */
  readonly deadlineMarginMs?: number;
  /** How long one handler may run, in milliseconds. Default: no limit. */
  readonly recordTimeoutMs?: number;
  /**
   * The number of attempts after which a key is parked. Crashes count, releases do not. Costs one write per
   * record when its handler starts, so that a claim that never started is no crash. Default: no limit.
   */
  readonly maxAttempts?: number;
  /**
   * The number of consecutive crashes (the lease lapsed and nothing was settled) after which the key is
   * parked without another run. Default: no limit; after one crash, a record runs alone and after the others.
   * Costs one write per record, like `maxAttempts`. Also limits how many processes may crash while they read
   * a record before it is `invalid`, with a minimum of 3.
   */
  readonly maxCrashes?: number;
  /**
   * Sets what happens to a key whose last attempt crashed and may have done its work: `rerun` (default), or
   * `park` for work that must not run again until a person has looked at it or `retentionMs.parked` is over.
   * `park` costs one write per record.
   */
  readonly onLapsedLease?: 'rerun' | 'park';
  /**
   * Sets what happens to a record when the claim store is unavailable and cannot store its claim or
   * completion: `runWithoutClaim()` runs and acknowledges it. Default: it is handed back.
   */
  readonly onStoreError?: StoreErrorPolicy;
  /**
   * Returns whether an error may be retried; other errors park the key at once. Default: all except
   * `PermanentError`.
   *
   * @param error The error that the handler threw.
   */
  readonly retryable?: (error: unknown) => boolean;
  /** Waits for a key that another owner holds: `waitForOwner({ timeoutMs })`. Default: hands it back. */
  readonly onConflict?: ConflictPolicy;
  /**
   * `new SQS()` or `new SQSClient()` of `@aws-sdk/client-sqs`, for `visibility`, `deadLetter` and the
   * messages under `heartbeat`. Default: none.
   */
  readonly sqs?: SqsClient | CommandClient;
  /**
   * The URL of the queue, for private endpoints. Default: AWS's URL for the ARN of the records, or one at
   * `AWS_ENDPOINT_URL_SQS` or `AWS_ENDPOINT_URL` if an emulator's endpoint is in the environment.
   */
  readonly queueUrl?: string | ((queueArn: string) => string);
  /** Sets when handed-back SQS messages come again: `backoff()`. Default: the queue's visibility timeout. */
  readonly visibility?: VisibilityPolicy;
  /**
   * Sends permanently failed records, with the error, to a queue: `deadLetterQueue({ url })`. Default: off.
   */
  readonly deadLetter?: DeadLetterPolicy;
  /**
   * Renews leases, and keeps SQS messages invisible, while handlers run: `heartbeat()`. Default: renews the
   * leases of every source but SQS.
   */
  readonly heartbeat?: HeartbeatPolicy;
  /**
   * Returns the hash of the fields that must be equal when a key comes again: `payloadHash({ include:
   * ['amountCents'] })`. Default: off.
   */
  readonly payloadValidation?: KeySelector<Body>;
  /**
   * Decodes the payloads of SQS, SNS, Kinesis and Kafka records, from the outside in, such as `[gzip(),
   * snsEnvelope()]`. Default: none.
   */
  readonly decode?: DecodeStep | readonly DecodeStep[];
  /** Checks and types bodies: `standardSchema(…)` of a zod, valibot or arktype schema. Default: off. */
  readonly schema?: SchemaPolicy<Body>;
  /**
   * Reads redelivered records first if reading them could have ended the process: `suspectsFirst()`. Default:
   * all records are read at once.
   */
  readonly reading?: ReadingPolicy;
  /** Receives the events of records. Default: JSON lines on stdout, filtered by `BATCHLATCH_LOG_LEVEL`. */
  readonly observer?: Observer;
  /** The clock, for tests. Default: the system clock. */
  readonly clock?: Clock;
}

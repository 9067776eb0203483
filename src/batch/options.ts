import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ClaimStore } from '../claims/claim-store.ts';
import type { Clock } from '../claims/clock.ts';
import type { CompletionCacheOptions } from '../claims/completion-cache.ts';
import { ConfigurationError } from '../claims/errors.ts';
import type { ResultStorage } from '../claims/result-storage.ts';
import { type AllRetentions, type RetentionMs, resolveRetention } from '../claims/retention.ts';
import { KeyError } from '../keys/errors.ts';
import type { Namespace } from '../keys/idempotency-key.ts';
import { type KeySelector, withEffort } from '../keys/key-selector.ts';
import { refusePromise } from '../keys/key-string.ts';
import { messageId } from '../keys/message-id.ts';
import { payloadHash } from '../keys/payload-hash.ts';
import type { Observer } from '../observe/observer.ts';
import {
  aFunction,
  aNamespace,
  anInteger,
  aRetention,
  type Check,
  checkOptions,
  either,
  members,
  objectWith,
  oneOf,
  required,
} from '../options/check-options.ts';
import { type QueueUrlOf, queueUrlOf } from '../queues/queue-url.ts';
import type { SqsClient } from '../queues/sqs-client.ts';
import { type DecodeStep, decodeSteps } from '../sources/decode-step.ts';
import type { Source } from '../sources/source.ts';

export interface BatchProcessorOptions<Body = unknown> {
  /** Where claims live. Default: DynamoDB, in the table that `CLAIMS_TABLE_NAME` names. */
  readonly store?: ClaimStore;
  /** Where results live that are too long for the store, e.g. `s3ResultStorage` of `batchlatch/s3`. Default: nowhere. */
  readonly resultStorage?: ResultStorage;
  /** Remembers this many completed keys in the process, so that their duplicates take no request. Default: off. */
  readonly cache?: CompletionCacheOptions;
  /**
   * Which service invokes the function, such as `sqs()`. It gives the handler's record its type, and keeps the others out
   * of the bundle; an event of another service is an `UnsupportedEventError`. Default: `allSources()`.
   */
  readonly source?: Source;
  /** What makes two records the same work. Default: `messageId()`. */
  readonly key?: KeySelector<Body>;
  /**
   * Put before every key; a function gives keys per tenant. Default: the Lambda function's name. Two processors of one
   * process that share a store and the default are refused at their first batch, unless their keys are messageIds.
   */
  readonly namespace?: string | ((record: Parameters<KeySelector<Body>>[0]) => string);
  /** Records running at once. Default 10. */
  readonly concurrency?: number;
  /** How long a finished record waits for others, to be settled in one request. Default 5 ms. */
  readonly settleLingerMs?: number;
  /**
   * Length of a claim's lease. Default: what remains of the invocation and a second, and at most 45,000 ms for every
   * source but SQS, whose next delivery may come sooner than the invocation could end; 60,000 ms outside Lambda.
   */
  readonly leaseMs?: number;
  /**
   * How long keys are remembered, in milliseconds: a number, or `{ completed, failed, parked }`. Default 4 days, SQS's
   * default retention; parked keys 90 days, also with a number that is smaller.
   */
  readonly retentionMs?: RetentionMs;
  /** How long before Lambda's timeout to stop and answer. Default 1,000 ms, but never more than half of the time there is. */
  readonly deadlineMarginMs?: number;
  /** A bound for one handler run. Default: none. */
  readonly recordTimeoutMs?: number;
  /**
   * Attempts after which a key is parked; deaths count, releases do not. One more write for each record says that its
   * handler starts, so that what never started is no death. Default: none.
   */
  readonly maxAttempts?: number;
  /**
   * Attempts in a row that may die, their lease lapsed and nothing settled, before the key is parked unrun.
   * Default: none; after one, a record runs alone and after the others. One more write for each record, as above. Also how
   * many processes may die while they read a record, before it has a claim, until it is `invalid` unread; of these the
   * default is 3.
   */
  readonly maxCrashes?: number;
  /**
   * What to do with a key whose last attempt died and may have done its work: `rerun` (default), or `park`
   * for work that must not run a second time before a person has looked, or `retentionMs.parked` is over. `park` takes
   * one more write for each record.
   */
  readonly onLapsedLease?: 'rerun' | 'park';
  /**
   * What to do with a record whose claim cannot be had or whose completion cannot be stored because the
   * store is out of order: `fail` (default) hands it back; `run` runs and acknowledges it without a claim,
   * possibly twice, and says so in its outcome and in a log line.
   */
  readonly onStoreError?: 'fail' | 'run';
  /** Which errors may be tried again; the others are parked at once. Default: all but `PermanentError`. */
  readonly retryable?: (error: unknown) => boolean;
  /** Waits up to `timeoutMs` for the other owner of a key to end, instead of handing the record back at once. Default: off. */
  readonly waitForConflict?: { readonly timeoutMs: number };
  /** `new SQS()` of `@aws-sdk/client-sqs`: for `visibility`, `deadLetter`, and the messages under `heartbeat`. */
  readonly sqs?: SqsClient;
  /**
   * Where the queue is, for private endpoints. Default: AWS's URL for the records' ARN, or one at
   * `AWS_ENDPOINT_URL_SQS` or `AWS_ENDPOINT_URL` where an emulator's endpoint is in the environment.
   */
  readonly queueUrl?: string | ((queueArn: string) => string);
  /** Says when an SQS message that is handed back comes again. Default: off, the queue's visibility timeout. */
  readonly visibility?: true | VisibilityOptions;
  /** Takes what failed for good at once, with the error; the record is then acknowledged. Default: off. */
  readonly deadLetter?: { readonly queueUrl: string };
  /** Keeps leases, and SQS messages invisible, while handlers run. Default: off for SQS, on for every other source. */
  readonly heartbeat?: true | HeartbeatOptions;
  /**
   * Paths of the values that must be the same when a key comes again, e.g. `['amountCents']`, or what gives their
   * hash, e.g. `powertoolsValidation(…)`. Default: off.
   */
  readonly payloadValidation?: readonly string[] | KeySelector<Body>;
  /**
   * What is done to the payload of SQS, SNS, Kinesis and Kafka records before it is read, from the outside in, such as
   * `[gzip(), snsEnvelope()]`. Default: nothing.
   */
  readonly decode?: DecodeStep | readonly DecodeStep[];
  /**
   * A Standard Schema (zod, valibot, arktype, …) for the body. The handler gets its output; a body that does not fit is
   * parked without being run. Keys, namespaces and `payloadValidation` see the body as it was sent. Default: none.
   */
  readonly schema?: StandardSchemaV1<unknown, Body>;
  /** Told what happens to every record. Default: JSON lines on standard output, by `BATCHLATCH_LOG_LEVEL`. */
  readonly observer?: Observer;
  /** For tests. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** When an SQS message that is handed back comes again. Conflicts wait for the rest of the other owner's lease. */
export interface VisibilityOptions {
  /** The bound of the first delay; it doubles with every receive, and the delay is drawn evenly from 0 to it. Default 1,000. */
  readonly baseDelayMs?: number;
  /** The longest bound. Default 900,000 (15 minutes). */
  readonly maxDelayMs?: number;
}

export interface HeartbeatOptions {
  /** Time between two renewals. Default: a third of the lease. */
  readonly intervalMs?: number;
}

/** The options after validation, with their defaults. */
export interface Settings {
  readonly key: KeySelector;
  readonly namespace: Namespace | undefined;
  readonly concurrency: number;
  readonly settleLingerMs: number;
  readonly leaseMs: number | undefined;
  readonly retention: AllRetentions;
  readonly deadlineMarginMs: number;
  readonly recordTimeoutMs: number | undefined;
  readonly maxAttempts: number | undefined;
  readonly maxCrashes: number | undefined;
  readonly onLapsedLease: 'rerun' | 'park';
  readonly onStoreError: 'fail' | 'run';
  readonly waitForConflictMs: number | undefined;
  readonly queueUrl: QueueUrlOf;
  readonly visibility: Required<VisibilityOptions> | undefined;
  readonly deadLetterUrl: string | undefined;
  readonly heartbeat: HeartbeatOptions | undefined;
  readonly retryable: ((error: unknown) => boolean) | undefined;
  readonly payloadValidation: KeySelector | undefined;
  readonly source: Source;
  readonly decode: readonly DecodeStep[];
  readonly schema: StandardSchemaV1 | undefined;
}

const DEFAULT_VISIBILITY = { baseDelayMs: 1_000, maxDelayMs: 900_000 };

/** Every option there is, with what it may be; `settings` keeps the ones that need no default of their own. */
const checks: Readonly<Record<keyof BatchProcessorOptions, Check>> = {
  store: objectWith('acquire', 'settle', 'extend', 'inspect'),
  source: aSource(),
  key: aFunction(),
  namespace: aNamespace(),
  concurrency: anInteger(1),
  settleLingerMs: anInteger(0),
  leaseMs: anInteger(1),
  retentionMs: aRetention(),
  deadlineMarginMs: anInteger(0),
  recordTimeoutMs: anInteger(1),
  maxAttempts: anInteger(1),
  maxCrashes: anInteger(1),
  onLapsedLease: oneOf('rerun', 'park'),
  onStoreError: oneOf('fail', 'run'),
  retryable: aFunction(),
  waitForConflict: members({ timeoutMs: required(anInteger(1)) }),
  sqs: objectWith('changeMessageVisibilityBatch', 'sendMessage'),
  queueUrl: either(aUrl(), aFunction()),
  visibility: either(oneOf(true), members({ baseDelayMs: anInteger(1), maxDelayMs: anInteger(1) })),
  deadLetter: members({ queueUrl: required(aUrl()) }),
  heartbeat: either(oneOf(true), members({ intervalMs: anInteger(1) })),
  payloadValidation: paths(),
  decode: decoding(),
  schema: aSchema(),
  observer: objectWith('onEvent'),
  clock: objectWith('now', 'setTimer'),
  cache: members({ max: required(anInteger(1)) }),
  resultStorage: objectWith('put', 'get'),
};

/** What the kind of handler, or the environment, makes of options that are not given. */
export interface Defaults {
  readonly source: Source;
  readonly concurrency?: number;
  readonly sqsEndpoint?: string | undefined;
}

/** Validates every option at start. Throws a `ConfigurationError` that names the option and what it got. */
export function resolveOptions<Body>(
  options: BatchProcessorOptions<Body>,
  { source, concurrency = 10, sqsEndpoint }: Defaults,
): Settings {
  checkOptions(options, checks);
  for (const name of ['visibility', 'deadLetter'] as const) {
    if (options[name] !== undefined && options.sqs === undefined) {
      throw new ConfigurationError(`\`${name}\` needs \`sqs\`: pass \`new SQS()\` of @aws-sdk/client-sqs`);
    }
  }
  if (options.namespace !== undefined && options.key?.isWholeKey === true) {
    throw new ConfigurationError(
      'Expected `namespace` to be absent with a `key` that gives whole keys, such as powertoolsKey(): nothing is put before them',
    );
  }
  const { payloadValidation, queueUrl, visibility, heartbeat } = options;
  return {
    // A selector of the user's own body type is called with whatever arrives, as the handler is.
    key: (options.key as KeySelector | undefined) ?? messageId(),
    namespace: options.namespace as Namespace | undefined,
    concurrency: options.concurrency ?? concurrency,
    settleLingerMs: options.settleLingerMs ?? 5,
    leaseMs: options.leaseMs,
    retention: resolveRetention(options.retentionMs, options.onLapsedLease),
    deadlineMarginMs: options.deadlineMarginMs ?? 1_000,
    recordTimeoutMs: options.recordTimeoutMs,
    maxAttempts: options.maxAttempts,
    maxCrashes: options.maxCrashes,
    onLapsedLease: options.onLapsedLease ?? 'rerun',
    onStoreError: options.onStoreError ?? 'fail',
    waitForConflictMs: options.waitForConflict?.timeoutMs,
    queueUrl:
      typeof queueUrl === 'string' ? () => queueUrl : (queueUrl ?? ((arn) => queueUrlOf(arn, sqsEndpoint))),
    visibility: visibility && { ...DEFAULT_VISIBILITY, ...(visibility === true ? {} : visibility) },
    deadLetterUrl: options.deadLetter?.queueUrl,
    heartbeat: heartbeat === true ? {} : heartbeat,
    retryable: options.retryable,
    payloadValidation:
      payloadValidation && validationOf(payloadValidation as readonly string[] | KeySelector),
    source: options.source ?? source,
    decode: decodeSteps(options.decode),
    schema: options.schema,
  };
}

function aSource(): Check {
  return { ...objectWith('read'), expected: 'a source, such as sqs() or kinesis()' };
}

function decoding(): Check {
  const isStep = (value: unknown): boolean =>
    ((typeof value === 'object' && value !== null) || typeof value === 'function') && 'readPayloads' in value;
  return {
    expected:
      'a step, such as gzip(), snsEnvelope() or decoder(…) around a function of yours, or a list of steps',
    accepts: (value) => (Array.isArray(value) ? value.length > 0 && value.every(isStep) : isStep(value)),
  };
}

function aSchema(): Check {
  return {
    expected: 'a Standard Schema, as zod, valibot and arktype make them',
    accepts: (value) => {
      // arktype's schemas are functions
      const isThing = (typeof value === 'object' && value !== null) || typeof value === 'function';
      const standard = isThing ? (value as Partial<StandardSchemaV1>)['~standard'] : undefined;
      return standard?.version === 1 && typeof standard.validate === 'function';
    },
  };
}

function aUrl(): Check {
  return { expected: "a queue's URL", accepts: (value) => typeof value === 'string' && URL.canParse(value) };
}

function paths(): Check {
  return {
    expected: "a function, or an array of paths such as ['amountCents']",
    accepts: (value) =>
      typeof value === 'function' ||
      (Array.isArray(value) && value.length > 0 && value.every((path) => namesOneValue(path))),
  };
}

function validationOf(given: readonly string[] | KeySelector): KeySelector {
  if (typeof given !== 'function') return payloadHash({ include: given });
  const select: KeySelector = (record) => {
    const hash: unknown = given(record);
    refusePromise('payloadValidation', 'record', hash);
    if (typeof hash === 'string' && hash !== '') return hash;
    throw new KeyError('The `payloadValidation` function gives no hash for this record');
  };
  return withEffort(select, given.effort);
}

/** What `payloadHash` would refuse in the name of an option of its own. */
function namesOneValue(path: unknown): boolean {
  return typeof path === 'string' && path.split('.').every((part) => part !== '' && part !== '*');
}

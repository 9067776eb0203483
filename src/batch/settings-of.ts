import { ConfigurationError } from '../base/errors.ts';
import { resolveRetention } from '../claims/retention.ts';
import { isKeptAsIs } from '../claims/row-format.ts';
import { KeyError } from '../keys/errors.ts';
import { type Namespace, refusePromise } from '../keys/key-string.ts';
import { assertNoNamespace, type KeySelector, messageId, withEffort } from '../keys/key-selector.ts';
import {
  aFunction,
  anInteger,
  type Check,
  checkOptions,
  either,
  objectWith,
  oneOf,
} from '../options/check-options.ts';
import { aNamespace, aPolicy, aRetention, aUrl } from '../options/domain-checks.ts';
import { aClientWith } from '../options/command-client.ts';
import { SQS_OPERATIONS } from '../queues/sqs-client.ts';
import { decodeSteps } from '../sources/decode-step.ts';
import type { Source } from '../sources/source.ts';
import type { BatchProcessorOptions } from './options.ts';
import type { RoutingPolicy, Settings } from './context.ts';
import { isObject } from '../base/is-object.ts';

const A_SOURCE = 'a source, such as sqs() or allSources()';

/** The checks of all options. Only `settingsOf` gives defaults. */
const checks: Readonly<Record<keyof BatchProcessorOptions, Check>> = {
  store: objectWith('acquire', 'settle', 'extend', 'inspect'),
  source: { ...objectWith('read'), expected: A_SOURCE },
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
  onStoreError: aPolicy('runWithoutClaim()'),
  retryable: aFunction(),
  onConflict: aPolicy('waitForOwner({ timeoutMs })'),
  reading: aPolicy('suspectsFirst()'),
  sqs: aClientWith(...SQS_OPERATIONS),
  queueUrl: either(aUrl(), aFunction()),
  visibility: aPolicy('backoff()'),
  deadLetter: aPolicy('deadLetterQueue({ url })'),
  heartbeat: aPolicy('heartbeat()'),
  payloadValidation: { ...aFunction(), expected: 'a function, such as payloadHash({ include })' },
  decode: {
    expected: 'a decode step, such as gzip() or decoder(), or a list of them',
    accepts: (value) => (Array.isArray(value) ? value.length > 0 && value.every(isStep) : isStep(value)),
  },
  schema: aPolicy('standardSchema()'),
  observer: objectWith('onEvent'),
  clock: objectWith('now', 'setTimer'),
};

/** The defaults that depend on the kind of handler or on the environment. */
export interface Defaults {
  /** Undefined: the option is required. */
  readonly source?: Source;
  readonly concurrency?: number;
  readonly sqsEndpoint?: string | undefined;
  /** Undefined: one handler gets all records. */
  readonly routing?: RoutingPolicy | undefined;
}

/** Checks all options and fills in defaults. Throws a `ConfigurationError` with the option and its value. */
export function settingsOf<Body>(
  options: BatchProcessorOptions<Body>,
  { source, concurrency = 10, sqsEndpoint, routing }: Defaults,
): Settings {
  checkOptions(options, checks);
  checkTogether(options);
  routing?.assertFit(options);
  const { payloadValidation, queueUrl } = options;
  // Each member is named: a spread leaves out what is inherited, and V8 stores more than 12 computed names as
  // a dictionary.
  return {
    leaseMs: options.leaseMs,
    recordTimeoutMs: options.recordTimeoutMs,
    maxAttempts: options.maxAttempts,
    maxCrashes: options.maxCrashes,
    retryable: options.retryable,
    schema: options.schema,
    reading: options.reading,
    onConflict: options.onConflict,
    onStoreError: options.onStoreError,
    visibility: options.visibility,
    deadLetter: options.deadLetter,
    heartbeat: options.heartbeat,
    source: options.source ?? source ?? missingSource(),
    // A selector typed for the user's body gets any body at run time, as the handler does.
    key: (options.key as KeySelector | undefined) ?? messageId(),
    namespace: options.namespace as Namespace | undefined,
    concurrency: options.concurrency ?? concurrency,
    settleLingerMs: options.settleLingerMs ?? 5,
    retention: resolveRetention(options.retentionMs, options.onLapsedLease),
    deadlineMarginMs: options.deadlineMarginMs ?? 1_000,
    onLapsedLease: options.onLapsedLease ?? 'rerun',
    queueUrl: typeof queueUrl === 'string' ? () => queueUrl : queueUrl,
    sqsEndpoint,
    payloadValidation: payloadValidation && checkedHash(payloadValidation as KeySelector),
    decode: decodeSteps(options.decode),
    routing,
  };
}

function missingSource(): never {
  throw new ConfigurationError(`Expected \`source\` to be ${A_SOURCE}, got nothing`);
}

/** Throws a `ConfigurationError` for options that cannot be combined. */
function checkTogether<Body>(options: BatchProcessorOptions<Body>): void {
  const { sqs, visibility, deadLetter, key, namespace } = options;
  const needy = sqs === undefined ? (visibility ?? deadLetter) : undefined;
  if (needy !== undefined) {
    throw new ConfigurationError(
      `\`${needy.option}\` needs \`sqs\`: pass \`new SQS()\` of @aws-sdk/client-sqs`,
    );
  }
  if (key?.isWholeKey === true) assertNoNamespace(namespace, 'powertoolsKey()');
}

function isStep(value: unknown): boolean {
  return (isObject(value) || typeof value === 'function') && 'readPayloads' in value;
}

function checkedHash(given: KeySelector): KeySelector {
  const select: KeySelector = (record) => {
    const hash: unknown = given(record);
    refusePromise('payloadValidation', 'record', hash);
    // It may be a text of the payload.
    if (typeof hash === 'string' && hash !== '') return isKeptAsIs(hash) ? hash : JSON.stringify(hash);
    throw new KeyError('`payloadValidation` must return a non-empty string');
  };
  return withEffort(select, given.effort);
}

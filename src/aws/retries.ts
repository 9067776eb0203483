import type { RequestError } from './request-error.ts';

/*
 * The rules of the SDK's standard retry mode, read from @smithy/core 3.41.0 (`retry`: StandardRetryStrategy, its constants and the
 * service error classification) and @aws-sdk/client-dynamodb 3.1162.0 (the first delay; the exceptions that are `$retryable`).
 */
const THROTTLING = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);
const TRANSIENT = new Set(['ReplicatedWriteConflictException', 'RequestTimeout', 'RequestTimeoutException']);
const TRANSIENT_STATUS = new Set([500, 502, 503, 504]);
const TOO_MANY_REQUESTS = 429;

const FIRST_DELAY_OF_THROTTLED_MS = 1_000;
const LONGEST_DELAY_MS = 20_000;
/** How much later than by itself a request comes again because the answer says so. */
const LONGEST_HINT_MS = 5_000;

/** Each retry takes from this; a request that succeeds gives back what its last retry took, or one if it took nothing. */
const QUOTA = 500;
const COST = 14;
const COST_OF_THROTTLED = 5;
const GAIN = 1;

export interface Retry {
  readonly delayMs: number;
  /** Of the quota. */
  readonly cost: number;
}

export interface RetryRules {
  /** How to go on after `attempts` sendings; undefined where the error is final. `isCorrected`: what was wrong with it is right now. */
  after(error: RequestError, attempts: number, isCorrected: boolean): Retry | undefined;
  /** `last`: the retry that succeeded, if it was one. */
  succeeded(last: Retry | undefined): void;
}

const AT_ONCE: Retry = { delayMs: 0, cost: 0 };

export function standardRetries(maxAttempts: number, firstDelayMs: number, random: () => number): RetryRules {
  let quota = QUOTA;
  return {
    after(error, attempts, isCorrected) {
      if (attempts >= maxAttempts) return undefined;
      if (isCorrected || error.again === 'at-once') return AT_ONCE;
      const isThrottled = isThrottling(error);
      if (!isThrottled && !isTransient(error)) return undefined;
      const cost = isThrottled ? COST_OF_THROTTLED : COST;
      if (cost > quota) return undefined;
      quota -= cost;
      const first = isThrottled ? FIRST_DELAY_OF_THROTTLED_MS : firstDelayMs;
      const delayMs = random() * Math.min(LONGEST_DELAY_MS, first * 2 ** (attempts - 1)); // full jitter
      const { retryAfterMs = 0 } = error;
      return { delayMs: Math.max(delayMs, Math.min(retryAfterMs, delayMs + LONGEST_HINT_MS)), cost };
    },
    succeeded(last) {
      if (quota < QUOTA) quota = Math.min(QUOTA, quota + (last?.cost ?? GAIN));
    },
  };
}

function isThrottling({ name, $metadata }: RequestError): boolean {
  return THROTTLING.has(name) || $metadata.httpStatusCode === TOO_MANY_REQUESTS;
}

function isTransient({ name, message, again, $metadata }: RequestError): boolean {
  return (
    again === 'later' ||
    TRANSIENT.has(name) ||
    TRANSIENT_STATUS.has($metadata.httpStatusCode ?? 0) ||
    // The process was frozen between signing and sending.
    (name === 'InvalidSignatureException' && message.includes('Signature expired'))
  );
}

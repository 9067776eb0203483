import type { RequestError } from './request-error.ts';

/**
 * The rules of the SDK's standard retry mode, from @smithy/core 3.41.0 (`retry`: StandardRetryStrategy, its
 * constants and the error classification) and @aws-sdk/client-dynamodb 3.1162.0 (the first delay and the
 * `$retryable` exceptions).
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
/** The most that an answer can add to the delay of a retry. */
const LONGEST_HINT_MS = 5_000;

/** The retry quota. A success returns the cost of its last retry, or `GAIN` if there was none. */
const QUOTA = 500;
const COST = 14;
const COST_OF_THROTTLED = 5;
const GAIN = 1;

export interface Retry {
  readonly delayMs: number;
  readonly cost: number;
}

export interface RetryRules {
  /** Returns the next retry; undefined if the error is final. `isCorrected`: its cause is fixed. */
  after(error: RequestError, attempts: number, isCorrected: boolean): Retry | undefined;
  /** Notes a success. `last` is the retry that succeeded, if it was one. */
  succeeded(last: Retry | undefined): void;
}

const AT_ONCE: Retry = { delayMs: 0, cost: 0 };

export function standardRetries(maxAttempts: number, firstDelayMs: number, random: () => number): RetryRules {
  let quota = QUOTA;
  return {
    after(error, attempts, isCorrected) {
      // Without another try, what the answer taught would be lost.
      if (attempts >= maxAttempts + (isCorrected ? 1 : 0)) return undefined;
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

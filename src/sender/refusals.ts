import { BatchlatchError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { notSent, perhapsSent } from './send-error.ts';
import type { Refusal } from './target.ts';

const THROTTLING = /Thrott|TooManyRequests|SlowDown|RequestLimitExceeded|ServiceUnavailable/i;
/** Errors of a whole request that one of its messages may have caused. */
const OF_A_MESSAGE =
  /Invalid(?!Signature|ClientToken|Security|Access|Address)|TooLong|TooLarge|Validation|UnsupportedOperation/;
/** Errors before anything is sent: of Node's connections, of certificates and of credentials. */
const UNSENT_CODES = new Set<unknown>([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
]);
const UNSENT_NAMES = new Set([
  'CredentialsProviderError',
  'CertificateError',
  // STS's, through a client of AWS's SDK
  'IDPCommunicationErrorException',
  'InvalidIdentityTokenException',
  'RegionDisabledException',
]);
/** The messages of a connection that was never made: our own, that of Node, and that of AWS's SDK. */
const UNCONNECTED = /^There was no connection within|^connect ETIMEDOUT|did not establish a connection/;

/** Returns the answer for all messages of a request that failed as a whole. */
export function refusalOfRequest(thrown: unknown, title: string): Refusal {
  const { name = '', code, httpStatusCode: status } = factsOf(thrown);
  const why = `${name}${status === undefined ? '' : ` (${status})`}`;
  const isOurs = thrown instanceof BatchlatchError; // a setting, or a package that is not installed
  const isUnsent = UNSENT_NAMES.has(name) || UNSENT_CODES.has(code) || UNCONNECTED.test(messageOf(thrown));
  if (isOurs || isUnsent) {
    const isRetryable = !isOurs && name !== 'CertificateError';
    const error = notSent(`The message did not reach ${title}: ${messageOf(thrown)}`, isRetryable, thrown);
    return { error, next: isRetryable ? 'again' : 'refused' };
  }
  if (THROTTLING.test(name) || status === 429 || status === 503) {
    return { error: notSent(`${title} is throttling: ${why}`, true, thrown), next: 'again' };
  }
  if (status === undefined || status >= 500 || status < 400) {
    return {
      error: perhapsSent(`${title} did not say whether it has the message: ${why}`, thrown),
      next: 'unknown',
    };
  }
  const error = notSent(`${title} refused the request: ${why}: ${messageOf(thrown)}`, false, thrown);
  return { error, next: OF_A_MESSAGE.test(name) ? 'alone' : 'refused' };
}

/** Returns the answer for an entry that the target names as failed. */
export function refusalOfEntry(title: string, { code, message, isOurs }: FailedEntry): Refusal {
  const isFinal = isOurs && !THROTTLING.test(code);
  return {
    // Made when it is asked for: most entries are sent again, and a stack trace costs more than that.
    get error() {
      const cause = Object.assign(new Error(message), { name: code });
      return notSent(`${title} did not take the message: ${code} ${message}`.trimEnd(), !isFinal, cause);
    },
    next: isFinal ? 'refused' : 'again',
  };
}

/** Returns the answer for an entry that the target's answer leaves out. */
export function unmentioned(title: string): Refusal {
  return { error: perhapsSent(`The answer of ${title} leaves the message out`), next: 'unknown' };
}

export interface FailedEntry {
  readonly code: string;
  readonly message: string;
  /** Whether the sender caused it, so that sending the same again is no use. */
  readonly isOurs: boolean;
}

function factsOf(thrown: unknown): {
  readonly name?: string;
  readonly code?: unknown;
  readonly httpStatusCode?: number | undefined;
} {
  if (!isObject(thrown)) return {};
  const { name, code, $metadata } = thrown as {
    readonly name?: string;
    readonly code?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  return { ...(name !== undefined && { name }), code, httpStatusCode: $metadata?.httpStatusCode };
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

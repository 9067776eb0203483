import { types } from 'node:util';
import {
  aBoolean,
  aFunction,
  aListOf,
  anInteger,
  type Check,
  checkOptions,
  either,
  members,
  oneOf,
  required,
} from '../options/check-options.ts';
import { aNamespace } from '../options/domain-checks.ts';
import { callSettings, claimChecks, type ClaimOptions } from '../functions/options.ts';
import type { CallSettings } from '../functions/run-once.ts';
import { type KeyFormat, type KeyRules, keyRules, LONGEST_KEY } from './idempotency-key-header.ts';
import { type HeaderOptions, headersToKeep, type KeepHeaders } from './kept-headers.ts';
import { type MakeProblem, problemsOf } from './problems.ts';

/**
 * Options of `withHttpIdempotency` and `withFetchIdempotency`.
 *
 * @typeParam Request The handler's request: a Lambda event, or a `Request`.
 */
export interface HttpIdempotencyOptions<Request> extends ClaimOptions {
  /** The prefix of every key, so that two APIs on one store never share claims. */
  readonly namespace: string;
  /**
   * Returns whose key it is: the authenticated tenant or principal, e.g. the `sub` of a verified token. Never
   * use a header or body that the client can set, or a client could get another's responses. Callers of
   * different scopes never share a key. A request without a scope, or for which this throws or rejects, is
   * refused (403). Use 'shared-by-all-callers' if all callers are one.
   */
  readonly scope:
    | ((request: Request) => string | undefined | null | Promise<string | undefined | null>)
    | 'shared-by-all-callers';
  /** The name of the key header, in any case. Default `Idempotency-Key`. */
  readonly header?: string;
  /**
   * The format of keys; others are refused (400): `'uuid'` (versions 1 to 8, not nil), a RegExp that the
   * whole key must match, or a function that returns true. Default `'any'`: visible ASCII, and spaces in the
   * quoted form.
   */
  readonly keyFormat?: KeyFormat;
  /** The maximum key length, from 1 to 1,024 characters without quotes and escapes. Default 255. */
  readonly maxKeyLength?: number;
  /**
   * The response headers that are stored for replays. Default: all except those of the connection, `Date`,
   * and credentials (`Set-Cookie`, `Authorization`, `WWW-Authenticate`, `Proxy-*`, `X-Api-Key` …).
   */
  readonly headers?: HeaderOptions;
  /**
   * Returns whether this caller may get the stored response. The handler and its own checks do not run for a
   * replay. Called before the client learns how the first request ended. Anything but true, and an
   * error, is a refusal (403). Default: every caller of the scope may.
   *
   * @param request The repeated request.
   */
  readonly authorizeReplay?: (request: Request) => boolean | Promise<boolean>;
  /** Whether to refuse a request without a key (400); if not, it runs without a claim. Default true. */
  readonly required?: boolean;
  /** Whether to store a response of 500 or above; if not, the client may try again. Default false. */
  readonly keepServerErrors?: boolean;
  /** The page that describes your API's idempotency; problem responses link to it. Default: the draft. */
  readonly documentation?: string;
  /** The maximum request body, in bytes; a larger one is refused (413). Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** The maximum stored response, in bytes. Default: the store's limit, or 1 MiB if that is smaller. */
  readonly maxResponseBytes?: number;
  /**
   * Whether a key whose last attempt crashed runs again or is parked (409, one write). Default 'rerun'.
   */
  readonly onLapsedLease?: 'rerun' | 'park';
  /**
   * Called with errors that the client cannot fix: the store failed, a completion was not stored, a response
   * cannot be read. Default: a process warning.
   *
   * @param error The error.
   */
  readonly onError?: (error: unknown) => void;
}

/** With scope, namespace and JSON escapes, a key must fit into the 2,048 bytes of DynamoDB's keys. */
const LONGEST_MAX_KEY_LENGTH = 1_024;

const HEADER_NAMES = aListOf('a list of names of headers', isHeaderName);

const checks: Readonly<Record<keyof HttpIdempotencyOptions<unknown>, Check>> = {
  namespace: required({
    ...aNamespace(),
    accepts: (value) => typeof value === 'string' && aNamespace().accepts(value),
  }),
  scope: required(either(aFunction(), oneOf('shared-by-all-callers'))),
  ...claimChecks,
  header: { expected: 'the name of a header', accepts: isHeaderName },
  keyFormat: either(
    oneOf('any', 'uuid'),
    either({ expected: 'a RegExp', accepts: (value) => types.isRegExp(value) }, aFunction()),
  ),
  maxKeyLength: anInteger(1, LONGEST_MAX_KEY_LENGTH),
  headers: members({ keep: HEADER_NAMES, drop: HEADER_NAMES }),
  authorizeReplay: aFunction(),
  required: aBoolean(),
  keepServerErrors: aBoolean(),
  documentation: { expected: 'a URL', accepts: isUrl },
  maxBodyBytes: anInteger(0),
  maxResponseBytes: anInteger(1),
  onLapsedLease: oneOf('rerun', 'park'),
  onError: aFunction(),
};

const MEBIBYTE = 1_048_576;

export interface HttpSettings
  extends
    CallSettings,
    Required<
      Pick<
        HttpIdempotencyOptions<never>,
        'namespace' | 'header' | 'keepServerErrors' | 'maxBodyBytes' | 'maxResponseBytes' | 'onError'
      >
    > {
  readonly keyRules: KeyRules;
  readonly keepHeaders: KeepHeaders;
  readonly isRequired: boolean;
  readonly problem: MakeProblem;
}

export function httpSettings<Request>(
  options: HttpIdempotencyOptions<Request>,
  maxResultBytes: number = Infinity,
): Omit<HttpSettings, 'onError'> {
  return {
    ...callSettings(options),
    namespace: options.namespace,
    header: (options.header ?? 'Idempotency-Key').toLowerCase(),
    keyRules: keyRules(options.keyFormat ?? 'any', options.maxKeyLength ?? LONGEST_KEY),
    keepHeaders: headersToKeep(options.headers),
    isRequired: options.required ?? true,
    keepServerErrors: options.keepServerErrors ?? false,
    maxBodyBytes: options.maxBodyBytes ?? MEBIBYTE,
    maxResponseBytes: Math.min(options.maxResponseBytes ?? MEBIBYTE, maxResultBytes),
    problem: problemsOf(options.documentation),
  };
}

export function checkHttpOptions(options: unknown): void {
  checkOptions(options, checks);
}

function isHeaderName(value: unknown): boolean {
  return typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value);
}

/** Whether a value is a URL with only characters that a `Link` header allows. */
function isUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^[!#-;=?-~]+$/.test(value);
}

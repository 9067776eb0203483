import { types } from 'node:util';
import { advice } from '../options/advice.ts';
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
 * @typeParam Request The request that the handler gets: an event of Lambda, or a `Request`.
 */
export interface HttpIdempotencyOptions<Request> extends ClaimOptions {
  /** Prefix of every key, so that two APIs on one store never share claims. */
  readonly namespace: string;
  /**
   * Whose key it is: the tenant or principal of a request, as authentication has verified it, e.g. the `sub` of a
   * verified token; never a header or a body that the client can set, or one client gets the responses of another. Two
   * callers with one key never get each other's responses. A request without one, or for which this throws or rejects,
   * is refused (403). 'shared-by-all-callers' where all callers are one.
   */
  readonly scope:
    | ((request: Request) => string | undefined | null | Promise<string | undefined | null>)
    | 'shared-by-all-callers';
  /** The header that carries the key, in any case. Default `Idempotency-Key`. */
  readonly header?: string;
  /**
   * What keys must look like, as your API publishes it; others are refused (400). `'uuid'` (versions 1 to 8, not the
   * nil UUID), a RegExp that the whole key has to match, or a function that returns true. Default `'any'`: visible ASCII,
   * and spaces in the quoted form.
   */
  readonly keyFormat?: KeyFormat;
  /** The longest key, in characters without quotes and escapes, from 1 up to 1,024. Default 255. */
  readonly maxKeyLength?: number;
  /**
   * Which headers of a response are kept for its replays. By default all but those of the connection, `Date`, and those
   * that carry credentials (`Set-Cookie`, `Authorization`, `WWW-Authenticate`, `Proxy-*`, `X-Api-Key` …).
   */
  readonly headers?: HeaderOptions;
  /**
   * Whether this caller may have what is stored: the handler, and whatever it checks, does not run for a replay. Called
   * before anything is said of how the first request ended. Anything but true, and an error, is a refusal (403).
   * Default: every caller with the scope may.
   *
   * @param request The request that asks for the stored response.
   */
  readonly authorizeReplay?: (request: Request) => boolean | Promise<boolean>;
  /** Whether a request without a key is refused (400). If not, it runs without a claim. Default true. */
  readonly required?: boolean;
  /** Whether a response of 500 and up is the answer to the key; if not, the client may try again. Default false. */
  readonly keepServerErrors?: boolean;
  /** Where your API describes its idempotency; problems link to it. Default: the draft. */
  readonly documentation?: string;
  /** The largest request body that is hashed, in bytes; a larger one is refused (413). Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** The largest response that is kept, in bytes as it is stored. Default: what the store holds, or 1 MiB. */
  readonly maxResponseBytes?: number;
  /** What to do with a key whose last attempt crashed: run it again, or park it for a person (409; costs one write). Default 'rerun'. */
  readonly onLapsedLease?: 'rerun' | 'park';
  /**
   * Called with what the client cannot fix: the store failed, a completion was not stored, a response cannot be read. Default: a process warning.
   *
   * @param error What failed.
   */
  readonly onError?: (error: unknown) => void;
}

/** With the scope, the namespace and JSON's escapes it has to fit into the 2,048 bytes of DynamoDB's keys. */
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

/** The settings of options that have been checked. */
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

/** Throws a `ConfigurationError` that names the option and what it got. */
export function checkHttpOptions(options: unknown): void {
  checkOptions(options, checks, advice);
}

function isHeaderName(value: unknown): boolean {
  return typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value);
}

/** Of characters that can stand in a header's `<…>`. */
function isUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^[!#-;=?-~]+$/.test(value);
}

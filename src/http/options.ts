import {
  aBoolean,
  aFunction,
  aNamespace,
  anInteger,
  type Check,
  checkOptions,
  either,
  oneOf,
  required,
} from '../options/check-options.ts';
import { claimChecks, type ClaimOptions, claimSettings } from '../functions/options.ts';
import type { CallSettings } from '../functions/run-once.ts';
import { type MakeProblem, problemsOf } from './problems.ts';

export interface HttpIdempotencyOptions<Request> extends ClaimOptions {
  /** Put before every key, so that two APIs on one store never share claims. */
  readonly namespace: string;
  /**
   * Whose key it is: the tenant or principal of a request, as authentication knows it. Two callers with one key never
   * get each other's responses. A request without one is refused (403). 'shared-by-all-callers' where all callers are one.
   */
  readonly scope: ((request: Request) => string | undefined | null) | 'shared-by-all-callers';
  /** The header that carries the key, in any case. Default `Idempotency-Key`. */
  readonly header?: string;
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
  /** What to do with a key whose last attempt died: run it again, or park it for a person (409). Default 'rerun'. */
  readonly onLapsedLease?: 'rerun' | 'park';
  /** Told of what the client cannot mend: the store failed, a completion was not stored. Default: a process warning. */
  readonly onError?: (error: unknown) => void;
}

const checks: Readonly<Record<keyof HttpIdempotencyOptions<unknown>, Check>> = {
  namespace: required({
    ...aNamespace(),
    accepts: (value) => typeof value === 'string' && aNamespace().accepts(value),
  }),
  scope: required(either(aFunction(), oneOf('shared-by-all-callers'))),
  ...claimChecks,
  header: { expected: 'the name of a header', accepts: isHeaderName },
  required: aBoolean(),
  keepServerErrors: aBoolean(),
  documentation: { expected: 'a URL', accepts: isUrl },
  maxBodyBytes: anInteger(0),
  maxResponseBytes: anInteger(1),
  onLapsedLease: oneOf('rerun', 'park'),
  onError: aFunction(),
};

const MEBIBYTE = 1_048_576;

export interface HttpSettings extends CallSettings {
  readonly namespace: string;
  readonly header: string;
  readonly isRequired: boolean;
  readonly keepServerErrors: boolean;
  readonly maxBodyBytes: number;
  readonly maxResponseBytes: number;
  readonly leaseMs: number | undefined;
  readonly problem: MakeProblem;
}

/** Validates every option. Throws a `ConfigurationError` that names the option and what it got. */
export function resolveOptions<Request>(
  options: HttpIdempotencyOptions<Request>,
  maxResultBytes: number | undefined,
): HttpSettings {
  const {
    namespace,
    header = 'Idempotency-Key',
    keepServerErrors = false,
    onLapsedLease = 'rerun',
  } = options;
  return {
    ...claimSettings(options),
    maxAttempts: undefined,
    onLapsedLease,
    namespace,
    header: header.toLowerCase(),
    isRequired: options.required ?? true,
    keepServerErrors,
    maxBodyBytes: options.maxBodyBytes ?? MEBIBYTE,
    maxResponseBytes: Math.min(options.maxResponseBytes ?? MEBIBYTE, maxResultBytes ?? Infinity),
    leaseMs: options.leaseMs,
    problem: problemsOf(options.documentation),
  };
}

/** Throws a `ConfigurationError` that names the option and what it got. */
export function checkHttpOptions(options: unknown): void {
  checkOptions(options, checks);
}

function isHeaderName(value: unknown): boolean {
  return typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value);
}

/** Of characters that can stand in a header's `<…>`. */
function isUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^[!#-;=?-~]+$/.test(value);
}

import type { ClaimStore } from '../claims/claim-store.ts';
import type { Clock } from '../base/clock.ts';
import { type RetentionMs, resolveRetention } from '../claims/retention.ts';
import type { WholeCallKey } from '../keys/call-key.ts';
import { assertNoNamespace } from '../keys/key-selector.ts';
import type { WaitForOwner } from '../around/wait-for-owner.ts';
import { advice } from '../options/advice.ts';
import {
  aBoolean,
  aFunction,
  anInteger,
  type Check,
  checkOptions,
  either,
  objectWith,
  oneOf,
  required,
} from '../options/check-options.ts';
import { aNamespace, aPolicy, aRetention } from '../options/domain-checks.ts';
import type { Serializer } from './result-text.ts';
import type { CallSettings } from './run-once.ts';

/** Options of claims around calls, whatever is called. */
export interface ClaimOptions {
  /**
   * Where claims live: a store, alone or wrapped in `cached(store, { max })` and `resultsIn(storage, store)`. Default: DynamoDB,
   * in the table that `CLAIMS_TABLE_NAME` names.
   */
  readonly store?: ClaimStore;
  /** Length of a claim's lease, in milliseconds. Default: what remains of the invocation plus a second; 60,000 if that is unknown. */
  readonly leaseMs?: number;
  /** Whether to renew the lease, each time a third of it is over, while the function runs. Default false. */
  readonly heartbeat?: boolean;
  /**
   * How long keys are remembered, in milliseconds: a number, or `{ completed, failed, parked }`. Default 4 days; parked
   * keys 90 days, also with a number that is smaller.
   */
  readonly retentionMs?: RetentionMs;
  /** While another call holds the key: `waitForOwner({ timeoutMs })` waits for it. Default: a `ConflictError` at once. */
  readonly onConflict?: WaitForOwner;
  /** For tests. Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * Options of calls, whatever their keys are.
 *
 * @typeParam Args The parameters of the function.
 */
export interface CallOptions<Args extends unknown[] = unknown[]> extends ClaimOptions {
  /**
   * What remains of the invocation, in milliseconds, e.g. `(_event, lambda) => lambda.getRemainingTimeInMillis()`.
   * The store is waited for until shortly before it is over, and nothing starts within its last second. With 0 or less nothing is run
   * (`NoTimeLeftError`); undefined, NaN and infinite values are ignored. Default: no limit is known.
   *
   * @param args The arguments of the call.
   */
  readonly remainingTimeMs?: (...args: Args) => number | undefined;
  /**
   * What must be the same when a key comes again, as JSON, e.g. `({ amountCents }) => amountCents`, or
   * `powertoolsCallValidation()` of `batchlatch/powertools`. Default: off.
   *
   * @param args The arguments of the call.
   */
  readonly payload?: (...args: Args) => unknown;
  /** Attempts after which a key is parked; crashes count. Costs one write, which says that the function starts. Default: no limit. */
  readonly maxAttempts?: number;
  /**
   * Which errors leave the key free for the next call; the others park it. Default: all except `PermanentError`.
   *
   * @param error What the function rejected with.
   */
  readonly retryable?: (error: unknown) => boolean;
  /**
   * Whether the first failure is the answer: it is stored for as long as a completion, and every later call rejects with an
   * error of the same name, message and code. A function chooses the failures. Default false.
   */
  readonly replayFailures?: boolean | ((error: unknown) => boolean);
  /** What to do with a key whose last attempt crashed: run it again, or park it for a person (costs one write). Default 'rerun'. */
  readonly onLapsedLease?: 'rerun' | 'park';
  /** For results that JSON cannot represent, e.g. superjson. Default: JSON, which refuses what it would change. */
  readonly serializer?: Serializer;
}

/**
 * Options of `withIdempotency` and `withIdempotencyContext`.
 *
 * @typeParam Args The parameters of the function.
 */
export interface IdempotencyOptions<Args extends unknown[] = unknown[]> extends CallOptions<Args> {
  /**
   * What makes two calls the same work, from the arguments: an id, several as an array, or `argumentHash()`. A part
   * that is missing or empty rejects the call: calls without a key never share one.
   *
   * @param args The arguments of the call.
   */
  readonly key: (...args: Args) => string | readonly string[];
  /** Prefix of every key, so that two functions on one store never share claims; a function gives keys per tenant. */
  readonly namespace: string | ((...args: Args) => string);
}

/**
 * Options of `withIdempotency` and `withIdempotencyContext` on a table whose keys another library makes too.
 *
 * @typeParam Args The parameters of the function.
 */
export interface WholeKeyOptions<Args extends unknown[] = unknown[]> extends CallOptions<Args> {
  /** Gives the key as it is stored: `powertoolsCallKey()` of `batchlatch/powertools`. */
  readonly key: WholeCallKey<Args>;
  /** Absent: no prefix is put before a whole key. Default: none. */
  readonly namespace?: undefined;
}

/**
 * Either of them. In this order TypeScript names a `namespace` that is missing.
 *
 * @typeParam Args The parameters of the function.
 */
export type AnyCallOptions<Args extends unknown[] = unknown[]> =
  | WholeKeyOptions<Args>
  | IdempotencyOptions<Args>;

export const claimChecks: Readonly<Record<keyof ClaimOptions, Check>> = {
  store: objectWith('acquire', 'settle', 'extend', 'inspect'),
  leaseMs: anInteger(1),
  heartbeat: aBoolean(),
  retentionMs: aRetention(),
  onConflict: aPolicy('onConflict', 'waitForOwner({ timeoutMs })'),
  clock: objectWith('now', 'setTimer'),
};

const checks: Readonly<Record<keyof IdempotencyOptions, Check>> = {
  key: required(aFunction()),
  namespace: required(aNamespace()),
  ...claimChecks,
  remainingTimeMs: aFunction(),
  payload: aFunction(),
  maxAttempts: anInteger(1),
  retryable: aFunction(),
  replayFailures: either(aBoolean(), aFunction()),
  onLapsedLease: oneOf('rerun', 'park'),
  serializer: objectWith('stringify', 'parse'),
};

/** Whether the key is stored as it is. The options may be anything: they are asked before they are checked. */
export function isWholeKey<Args extends unknown[]>(
  options: AnyCallOptions<Args>,
): options is WholeKeyOptions<Args> {
  return (options as Partial<WholeKeyOptions<Args>> | null)?.key?.isWholeKey === true;
}

/** Validates every option. Throws a `ConfigurationError` that names the option and what it got. */
export function resolveFunctionOptions<Args extends unknown[]>(options: AnyCallOptions<Args>): CallSettings {
  if (isWholeKey(options)) {
    assertNoNamespace(options.namespace, 'powertoolsCallKey()');
    checkOptions(options, { ...checks, namespace: aNamespace() }, advice);
  } else checkOptions(options, checks, advice);
  return callSettings(options);
}

/** The settings of options that have been checked. */
export function callSettings({
  leaseMs,
  heartbeat = false,
  retentionMs,
  onConflict,
  maxAttempts,
  onLapsedLease = 'rerun',
}: ClaimOptions & Pick<CallOptions, 'maxAttempts' | 'onLapsedLease'>): CallSettings {
  return {
    leaseMs,
    heartbeat,
    retention: resolveRetention(retentionMs, onLapsedLease),
    waitMs: onConflict?.timeoutMs ?? 0,
    maxAttempts,
    maxCrashes: undefined,
    onLapsedLease,
  };
}

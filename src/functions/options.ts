import type { ClaimStore } from '../claims/claim-store.ts';
import type { Clock } from '../base/clock.ts';
import { type RetentionMs, resolveRetention } from '../claims/retention.ts';
import type { WholeCallKey } from '../keys/call-key.ts';
import { assertNoNamespace } from '../keys/key-selector.ts';
import type { WaitForOwner } from '../around/wait-for-owner.ts';
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

/** Options of claims, for functions and HTTP handlers. */
export interface ClaimOptions {
  /**
   * The store of the claims, optionally wrapped in `cached(store, { max })` and `resultsIn(storage, store)`.
   * Default: DynamoDB, in the table named by `CLAIMS_TABLE_NAME`.
   */
  readonly store?: ClaimStore;
  /** The lease length, in milliseconds. Default: the invocation's remaining time plus 1,000, or 60,000. */
  readonly leaseMs?: number;
  /** Whether to renew the lease, at each third of it, while the function runs. Default false. */
  readonly heartbeat?: boolean;
  /**
   * How long keys are stored, in milliseconds: a number, or `{ completed, failed, parked }`. Default: 4 days,
   * and 90 days for parked keys, which a smaller number does not shorten.
   */
  readonly retentionMs?: RetentionMs;
  /** Waits for another call of the key: `waitForOwner({ timeoutMs })`. Default: a `ConflictError` at once. */
  readonly onConflict?: WaitForOwner;
  /** For tests. Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * Options of calls, for any kind of key.
 *
 * @typeParam Args The parameters of the function.
 */
export interface CallOptions<Args extends unknown[] = unknown[]> extends ClaimOptions {
  /**
   * Returns the remaining time of the invocation, in milliseconds, e.g.
   * `(_event, lambda) => lambda.getRemainingTimeInMillis()`. The call waits for the store until shortly
   * before the end, and starts nothing within the last second. At 0 or less nothing runs (`NoTimeLeftError`);
   * undefined, NaN and infinite values are ignored. Default: no time limit.
   *
   * @param args The arguments of the call.
   */
  readonly remainingTimeMs?: (...args: Args) => number | undefined;
  /**
   * Returns the payload that must be equal in all calls of a key, as JSON, e.g.
   * `({ amountCents }) => amountCents`, or `powertoolsCallValidation()` of `batchlatch/powertools`. Default:
   * not checked.
   *
   * @param args The arguments of the call.
   */
  readonly payload?: (...args: Args) => unknown;
  /**
   * The attempts after which a key is parked; crashes count. Costs one write per start. Default: no limit.
   */
  readonly maxAttempts?: number;
  /**
   * Returns whether the key may run again after an error; else it is parked. Default: all but
   * `PermanentError`.
   *
   * @param error What the function rejected with.
   */
  readonly retryable?: (error: unknown) => boolean;
  /**
   * Whether to store a failure for as long as a completion, so that later calls reject with an error of the
   * same name, message and code; a function decides for each error. Default false.
   */
  readonly replayFailures?: boolean | ((error: unknown) => boolean);
  /** Whether a key whose last attempt crashed runs again or is parked (costs a write). Default 'rerun'. */
  readonly onLapsedLease?: 'rerun' | 'park';
  /** A serializer for results that JSON cannot represent, e.g. superjson. Default: JSON. */
  readonly serializer?: Serializer;
}

/**
 * Options of `withIdempotency` and `withIdempotencyContext`.
 *
 * @typeParam Args The parameters of the function.
 */
export interface IdempotencyOptions<Args extends unknown[] = unknown[]> extends CallOptions<Args> {
  /**
   * Returns the key of a call from its arguments: an id, several ids as an array, or `argumentHash()`. An
   * empty or missing part rejects the call, so that calls without a key never share one.
   *
   * @param args The arguments of the call.
   */
  readonly key: (...args: Args) => string | readonly string[];
  /** The prefix of every key, so that functions never share claims; a function returns one per tenant. */
  readonly namespace: string | ((...args: Args) => string);
}

/**
 * Options of `withIdempotency` and `withIdempotencyContext` for keys that another library makes.
 *
 * @typeParam Args The parameters of the function.
 */
export interface WholeKeyOptions<Args extends unknown[] = unknown[]> extends CallOptions<Args> {
  /** Returns the key as it is stored: `powertoolsCallKey()` of `batchlatch/powertools`. */
  readonly key: WholeCallKey<Args>;
  /** Must be absent: whole keys have no prefix. Default: none. */
  readonly namespace?: undefined;
}

/**
 * `IdempotencyOptions` or `WholeKeyOptions`. In this order, TypeScript's error names a missing `namespace`.
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
  onConflict: aPolicy('waitForOwner({ timeoutMs })'),
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

/** Whether the key is stored without a prefix. The options are not checked yet and may be anything. */
export function isWholeKey<Args extends unknown[]>(
  options: AnyCallOptions<Args>,
): options is WholeKeyOptions<Args> {
  return (options as Partial<WholeKeyOptions<Args>> | null)?.key?.isWholeKey === true;
}

export function resolveFunctionOptions<Args extends unknown[]>(options: AnyCallOptions<Args>): CallSettings {
  if (isWholeKey(options)) {
    assertNoNamespace(options.namespace, 'powertoolsCallKey()');
    checkOptions(options, { ...checks, namespace: aNamespace() });
  } else checkOptions(options, checks);
  return callSettings(options);
}

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

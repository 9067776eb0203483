import type { AttemptScope } from '../attempts/scope.ts';
import { endingOfRecord } from '../batch/settle.ts';
import { type RetentionMs, resolveRetention } from '../claims/retention.ts';
import { aBoolean, aFunction, anInteger, assertFunction, checkOptionsOf } from '../options/check-options.ts';
import { aRetention } from '../options/domain-checks.ts';

/** Options of a route, in place of the processor's. */
export interface RouteOptions {
  /**
   * How many records of this type run at once in the process, within the processor's `concurrency`. Records
   * of other types pass those that wait. With `forBatches`: the most records of this type in one call.
   * Default: the processor's.
   */
  readonly concurrency?: number;
  /**
   * Keeps the keys that the processor made before it had routes, without the type. For one type only, because
   * two types with such keys could share one. Default false.
   */
  readonly keysAsBefore?: boolean;
  /** The number of attempts after which a key is parked. Default: the processor's. */
  readonly maxAttempts?: number;
  /** How long one handler may run, in milliseconds. Default: the processor's. */
  readonly recordTimeoutMs?: number;
  /**
   * How long keys are remembered. A number is for completions and failures. Default, also of each part that
   * is left out: the processor's.
   */
  readonly retentionMs?: RetentionMs;
  /**
   * Returns whether an error may be retried. Default: the processor's.
   *
   * @param error The error that the handler threw.
   */
  readonly retryable?: (error: unknown) => boolean;
}

/**
 * A handler with options of its own. Created by `route()`.
 *
 * @typeParam Handler The type of the handler.
 */
export interface Route<Handler> {
  /** The handler. */
  readonly handler: Handler;
  /** The options. */
  readonly options: RouteOptions;
  /**
   * Returns the settings of a batch with the options in place of the processor's. Absent: none differs.
   *
   * @internal
   */
  readonly scopeIn?: (batch: AttemptScope) => AttemptScope;
}

/**
 * Gives the handler of one type options of its own.
 *
 * @typeParam Handler The type of the handler.
 * @param handler Processes the records of the type.
 * @param options The options that differ from the processor's.
 * @throws `ConfigurationError` for invalid options.
 *
 * @example
 * routes(orderMessages, {
 *   OrderPlaced: async ({ body }) => charge(body),
 *   OrderCancelled: route(async ({ body }) => refund(body), { maxAttempts: 5, recordTimeoutMs: 2_000 }),
 * });
 */
export function route<Handler>(handler: Handler, options: RouteOptions): Route<Handler> {
  assertFunction('handler of route', handler);
  checkOptionsOf('route', options, {
    concurrency: anInteger(1),
    keysAsBefore: aBoolean(),
    maxAttempts: anInteger(1),
    recordTimeoutMs: anInteger(1),
    retentionMs: aRetention(),
    retryable: aFunction(),
  });
  return { handler, options, scopeIn: (batch) => scopeOf(options, batch) };
}

function scopeOf(
  { maxAttempts, recordTimeoutMs, retentionMs, retryable }: RouteOptions,
  { claims, time, watch }: AttemptScope,
): AttemptScope {
  const { rules, store, endingOf } = claims;
  return {
    watch,
    time: { ...time, timeoutMs: recordTimeoutMs ?? time.timeoutMs },
    claims: {
      ...claims,
      rules: {
        ...rules,
        retention: resolveRetention(retentionMs, rules.onLapsedLease, rules.retention),
        maxAttempts: maxAttempts ?? rules.maxAttempts,
      },
      endingOf: retryable === undefined ? endingOf : endingOfRecord(retryable, store.maxResultBytes),
    },
  };
}

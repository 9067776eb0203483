import { CompletionNotStoredError, MismatchError } from '../attempts/errors.ts';
import { LeaseLostError } from '../attempts/stop-errors.ts';
import { toStoredError } from '../claims/claim.ts';
import { assertFunction, madeFunction } from '../options/check-options.ts';
import { mayRunAgain } from '../attempts/rules.ts';
import { canonicalHash } from '../keys/canonical-json.ts';
import { KeyError } from '../keys/errors.ts';
import { keyString, refusePromise } from '../keys/key-string.ts';
import type { Ending } from '../attempts/ending.ts';
import type { CallContext } from './call-context.ts';
import { defaultPorts } from './default-ports.ts';
import {
  ConflictError,
  replayedError,
  NoTimeLeftError,
  ParkedError,
  UnserializableResultError,
} from './errors.ts';
import {
  type AnyCallOptions,
  type CallOptions,
  type IdempotencyOptions,
  isWholeKey,
  resolveFunctionOptions,
} from './options.ts';
import type { CallPayloadHash } from '../keys/call-key.ts';
import { fromResultText, type Serializer, toResultText } from './result-text.ts';
import { type Call, type CallOutcome, type CallPorts, endOfInvocation, runOnce } from './run-once.ts';

/** The key version. It differs from a record's `v1`: records and calls never share a key. */
const VERSION = 'function-v1';
/** The key version of array keys, so that `['x', 'y']` never equals the string `'["x","y"]'`. */
const VERSION_OF_PARTS = 'function-v1-parts';

/** With `never[]`, parameters are inferred from the function alone. */
type AnyFunction = (...args: never[]) => unknown;

/**
 * A function of the same signature and `this`, made asynchronous.
 *
 * @typeParam Fn The function.
 * @param args The arguments of the function.
 */
export type Idempotent<Fn extends AnyFunction> = (
  this: ThisParameterType<Fn>,
  ...args: Parameters<Fn>
) => Promise<Awaited<ReturnType<Fn>>>;

/**
 * Makes an async function run once for each key. The first call runs it. Concurrent calls, in any process,
 * reject with a `ConflictError` or wait (`onConflict`). Later calls get the stored result. If the function
 * rejects, its caller gets the error and the key is free again.
 *
 * Every caller gets a new value parsed from the stored JSON. A result that JSON would change is refused with
 * an `UnserializableResultError`, so the first caller never gets another form than later ones. `undefined` is
 * a valid result.
 *
 * Rejects with `ConflictError`, `MismatchError`, `ParkedError`, `NoTimeLeftError`, `LeaseLostError`,
 * `InterruptedError`, `CompletionNotStoredError`, `UnserializableResultError`, `KeyError`, or the store's
 * error. After a store's error this call has run nothing, and an earlier call may have (with
 * `BATCHLATCH_RESULT_UNAVAILABLE`, one has). Throws a `ConfigurationError` at start.
 *
 * @typeParam Fn The function.
 * @param fn The function that does the work of a key.
 * @param options The key of a call, and how its claim is stored.
 *
 * @example
 * const chargeOnce = withIdempotency(charge, { namespace: 'charge', key: (order) => order.orderId });
 * const { chargeId } = await chargeOnce(order);
 */
export function withIdempotency<Fn extends AnyFunction>(
  fn: Fn,
  options: AnyCallOptions<Parameters<Fn>>,
): Idempotent<Fn> {
  assertFunction('first argument', fn);
  return withIdempotencyContext(() => fn, options);
}

/**
 * Like `withIdempotency`, for a function that uses its attempt's context (`idempotencyKey`, `attempt`,
 * `signal`, `extendLease`, `done`). `makeFn` is called for each attempt; callers do not see the context.
 *
 * @typeParam Fn The function.
 * @param makeFn Returns the function that does the work of an attempt.
 * @param options The key of a call, and how its claim is stored.
 * @throws `ConfigurationError` at start, and rejects, as `withIdempotency` does.
 *
 * @example
 * const chargeOnce = withIdempotencyContext(
 *   ({ idempotencyKey, signal }) => (order: Order) => payments.charge(order, { idempotencyKey, signal }),
 *   { namespace: 'charge', key: (order) => order.orderId },
 * );
 */
export function withIdempotencyContext<Fn extends AnyFunction>(
  makeFn: (context: CallContext) => Fn,
  options: AnyCallOptions<Parameters<Fn>>,
): Idempotent<Fn> {
  assertFunction('first argument', makeFn);
  return createIdempotent(makeFn, options);
}

/** Like `withIdempotencyContext`, with ports for tests. */
export function createIdempotent<Fn extends AnyFunction>(
  makeFn: (context: CallContext) => Fn,
  options: AnyCallOptions<Parameters<Fn>>,
  given?: CallPorts,
): Idempotent<Fn> {
  const settings = resolveFunctionOptions(options);
  const ports = given ?? defaultPorts(options);
  const ends = endsOf(options, ports.store.maxResultBytes);
  const { payload, remainingTimeMs } = options;
  async function idempotent(this: unknown, ...args: Parameters<Fn>): Promise<unknown> {
    const remainingMs = remainingTimeMs?.(...args);
    const call = {
      run: async (context: CallContext) => madeFunction(makeFn(context)).apply(this, args as never[]),
      key: isWholeKey(options)
        ? keyString({ of: 'call', prefix: undefined, key: () => options.key(...args) })
        : prefixedKey(args, options),
      payloadHash: payload && payloadHashOf(args, payload),
      lockedBy: undefined,
      endsAt: endOfInvocation(remainingMs, ports.clock),
      ...ends,
    };
    return valueOf(await runOnce(call, settings, ports), options, ports);
  }
  // The store holds only results of this function or of an earlier version of it.
  return idempotent as Idempotent<Fn>;
}

function prefixedKey<Args extends unknown[]>(
  args: Args,
  { namespace, key }: IdempotencyOptions<Args>,
): string {
  let selected: unknown;
  let select = (): unknown => joinParts(selected);
  try {
    selected = key(...args);
  } catch (thrown) {
    select = () => {
      throw thrown;
    };
  }
  refusePromise('key', 'call', selected);
  return keyString({
    of: 'call',
    prefix: {
      namespace: () => (typeof namespace === 'function' ? namespace(...args) : namespace),
      version: Array.isArray(selected) ? VERSION_OF_PARTS : VERSION,
    },
    key: select,
  });
}

function payloadHashOf<Args extends unknown[]>(
  args: Args,
  payload: ((...args: Args) => unknown) & Partial<Pick<CallPayloadHash, 'isPayloadHash'>>,
): string {
  const given = payload(...args);
  refusePromise('payload', 'call', given);
  return payload.isPayloadHash === true ? (given as string) : canonicalHash(given);
}

/** Joins the parts of a key. Without this check, calls that lack a part would share a key. */
function joinParts(key: unknown): unknown {
  if (!Array.isArray(key)) return key;
  const missing = key.findIndex((part) => typeof part !== 'string' || part === '');
  if (missing >= 0 || key.length === 0) {
    throw new KeyError(
      `Expected every part of the key to be a non-empty string; part ${Math.max(missing, 0) + 1} is not. ` +
        'Calls that lack a part must not share a key',
    );
  }
  return JSON.stringify(key);
}

type FailureOptions = Pick<CallOptions, 'retryable' | 'replayFailures'>;

function endsOf(
  options: FailureOptions & Pick<CallOptions, 'serializer'>,
  maxResultBytes: number | undefined,
): Pick<Call<unknown>, 'endOf' | 'endOfTooLarge' | 'endOfFailure'> {
  return {
    endOf(value) {
      const result = toResultText(value, options.serializer, maxResultBytes);
      if ('problem' in result) return unserializable(result.problem);
      return { end: 'complete', ...(result.text !== undefined && { result: result.text }) };
    },
    endOfTooLarge: () =>
      unserializable('it is too long for the store, or could not be stored in the result storage'),
    endOfFailure(thrown, isLast) {
      const error = toStoredError(thrown);
      // rule: replayed-failures
      const end = failureEnd(thrown, options);
      if (end === 'replay') return { end: 'park', error, isAnswer: true };
      return { end: isLast ? 'park' : end, error };
    },
  };
}

function failureEnd(
  error: unknown,
  { retryable, replayFailures = false }: FailureOptions,
): 'fail' | 'park' | 'replay' {
  try {
    const isReplayed: unknown = typeof replayFailures === 'function' ? replayFailures(error) : replayFailures;
    if (isReplayed === true) return 'replay'; // any promise is truthy
    return mayRunAgain(error, retryable) ? 'fail' : 'park';
  } catch {
    return 'fail'; // a broken classifier must not park a key
  }
}

/** Parks the key for the retention of a completion: the effect is done and must not run again. */
function unserializable(problem: string): Ending {
  const error = new UnserializableResultError(
    `The effect is done and will not run again, but its result cannot be stored: ${problem}. ` +
      'Return JSON values that fit, or set a `serializer`',
  );
  return { end: 'park', error: toStoredError(error), isAnswer: true, problem };
}

/** The codes of keys that were parked in place of a run: no failure of the function, which has not run. */
const NOT_RUN: ReadonlySet<unknown> = new Set(['BATCHLATCH_LAPSED_LEASE', 'BATCHLATCH_TOO_MANY_ATTEMPTS']);

function valueOf(
  outcome: CallOutcome<unknown>,
  { serializer, replayFailures = false }: Pick<CallOptions, 'serializer' | 'replayFailures'>,
  { clock }: CallPorts,
): unknown {
  switch (outcome.status) {
    case 'returned':
      return returnedValue(outcome, serializer);
    case 'duplicate':
      return fromResultText(outcome.result, serializer);
    case 'conflict':
    case 'not-started':
      throw outcome.leaseUntil === undefined
        ? new NoTimeLeftError()
        : new ConflictError(outcome.leaseUntil, clock.now());
    case 'mismatch':
      throw new MismatchError();
    case 'parked': {
      const error = replayedError(outcome.error);
      const isFailure = replayFailures !== false && !NOT_RUN.has(outcome.error?.code);
      const isAnswer = isFailure || error instanceof UnserializableResultError;
      throw isAnswer ? error : new ParkedError({ cause: error });
    }
    case 'threw':
    case 'error':
      throw outcome.error;
  }
}

function returnedValue(
  { value, ending, settled }: Extract<CallOutcome<unknown>, { status: 'returned' }>,
  serializer: Serializer | undefined,
): unknown {
  if (settled === 'lost') throw new LeaseLostError();
  // rule: stored-calls
  if (settled !== 'stored') throw new CompletionNotStoredError({ cause: settled.error, result: value });
  if (ending.end !== 'complete') throw replayedError(ending.error);
  return fromResultText(ending.result, serializer);
}

import { CompletionNotStoredError, MismatchError } from '../attempts/errors.ts';
import { LeaseLostError } from '../attempts/stop-errors.ts';
import { toStoredError } from '../claims/claim.ts';
import type { Clock } from '../base/clock.ts';
import { assertFunction } from '../options/check-options.ts';
import { unstartedClaims } from '../attempts/unstarted-claims.ts';
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
import { leaseClock } from './lease-clock.ts';
import {
  type AnyCallOptions,
  type FunctionSettings,
  type IdempotencyOptions,
  isWholeKey,
  resolveFunctionOptions,
} from './options.ts';
import type { CallPayloadHash } from '../keys/call-key.ts';
import { fromResultText, type Serializer, toResultText } from './result-text.ts';
import { type Call, type Callee, type CallOutcome, type CallPorts, runOnce } from './run-once.ts';

/**
 * Not `v1` alone: a record and a call with the same namespace and key are different work, and a handler that calls an
 * idempotent function with its own key would conflict with its own claim.
 */
const VERSION = 'function-v1';
/** Of keys that are lists: `['x', 'y']` is never the string `'["x","y"]'`. */
const VERSION_OF_PARTS = 'function-v1-parts';

/** `never[]`: parameters are inferred from the function alone. */
type AnyFunction = (...args: never[]) => unknown;

/**
 * The function with the same signature and `this`, asynchronous.
 *
 * @typeParam Fn The function.
 * @param args The arguments of the function.
 */
export type Idempotent<Fn extends AnyFunction> = (
  this: ThisParameterType<Fn>,
  ...args: Parameters<Fn>
) => Promise<Awaited<ReturnType<Fn>>>;

/**
 * Makes an async function run once for each key. The first call runs it; concurrent calls, in this process or any
 * other, reject with a `ConflictError`, or wait (`onConflict`); later ones get the stored result. What the
 * function rejects with is given to its caller, and the key is free again.
 *
 * All callers, the first too, get a new value read from the stored JSON: what JSON would change is refused with an
 * `UnserializableResultError`, and never returned in one form now and in another later. A function that returns
 * `undefined` is fine.
 *
 * Rejects with `ConflictError`, `MismatchError`, `ParkedError`, `NoTimeLeftError`, `LeaseLostError`,
 * `InterruptedError`, `CompletionNotStoredError`, `UnserializableResultError`, `KeyError`, or the store's error; after
 * the store's error this call has run nothing, and whether an earlier one has is not known
 * (`BATCHLATCH_RESULT_UNAVAILABLE`: one has). Throws a `ConfigurationError` at start.
 *
 * @typeParam Fn The function.
 * @param fn Does the work of one key.
 * @param options What makes two calls the same work, and how claims are kept.
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
 * The same for a function that wants to know about its attempt: it is made for each attempt, from a context
 * (`idempotencyKey`, `attempt`, `signal`, `extendLease`, `done`) that its callers do not see.
 *
 * @typeParam Fn The function.
 * @param makeFn Makes the function that does the work of one attempt.
 * @param options What makes two calls the same work, and how claims are kept.
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
  return createIdempotent(makeFn, options, resolveFunctionOptions(options), defaultPorts(options));
}

/** The same in a world that is given. */
export function createIdempotent<Fn extends AnyFunction>(
  makeFn: (context: CallContext) => Fn,
  options: AnyCallOptions<Parameters<Fn>>,
  settings: FunctionSettings,
  givenPorts: CallPorts,
): Idempotent<Fn> {
  const ports = { ...givenPorts, unstarted: unstartedClaims(givenPorts.store) };
  async function idempotent(this: unknown, ...args: Parameters<Fn>): Promise<unknown> {
    const run = async (context: CallContext): Promise<unknown> =>
      makeFn(context).apply(this, args as never[]);
    const callee = calleeOf(run, options, settings, ports);
    const outcome = await runOnce(callOf(callee, args, options, ports.clock), settings, ports);
    return valueOf(outcome, options.serializer, settings, ports);
  }
  // What is read from the store is what a call of this function, or of an earlier version of it, gave.
  return idempotent as Idempotent<Fn>;
}

function callOf<Args extends unknown[]>(
  callee: Callee<unknown>,
  args: Args,
  options: AnyCallOptions<Args>,
  clock: Clock,
): Call<unknown> {
  const { payload, leaseMs, remainingTimeMs } = options;
  const remainingMs = remainingTimeMs?.(...args);
  return {
    ...callee,
    key: isWholeKey(options)
      ? keyString({ of: 'call', prefix: undefined, key: () => options.key(...args) })
      : prefixedKey(args, options),
    payloadHash: payload && payloadHashOf(args, payload),
    lockedBy: undefined,
    leases: leaseClock(leaseMs, remainingMs, clock),
  };
}

function prefixedKey<Args extends unknown[]>(
  args: Args,
  { namespace, key }: IdempotencyOptions<Args>,
): string {
  const selected = attempted(() => key(...args));
  refusePromise('key', 'call', selected.value);
  return keyString({
    of: 'call',
    prefix: {
      namespace: () => (typeof namespace === 'function' ? namespace(...args) : namespace),
      version: Array.isArray(selected.value) ? VERSION_OF_PARTS : VERSION,
    },
    key: () => joinParts(selected.get()),
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

/** What a call gave, or what `get` throws as it did. */
function attempted<Value>(call: () => Value): { readonly value?: Value; readonly get: () => Value } {
  try {
    const value = call();
    return { value, get: () => value };
  } catch (thrown) {
    return {
      get() {
        throw thrown;
      },
    };
  }
}

/** A part that is missing would make all calls that lack it one. */
function joinParts(key: unknown): unknown {
  if (!Array.isArray(key)) return key;
  const missing = key.findIndex((part) => typeof part !== 'string' || part === '');
  if (missing >= 0 || key.length === 0) {
    throw new KeyError(
      `Expected every part of the key to be a non-empty string; part ${Math.max(missing, 0) + 1} is not. Calls that lack a part must not share a key`,
    );
  }
  return JSON.stringify(key);
}

function calleeOf(
  run: (context: CallContext) => Promise<unknown>,
  { serializer }: { readonly serializer?: Serializer },
  { failureEnd }: FunctionSettings,
  { store }: CallPorts,
): Callee<unknown> {
  return {
    run,
    endOf(value) {
      const result = toResultText(value, serializer, store.maxResultBytes);
      if ('problem' in result) return unserializable(result.problem);
      return { end: 'complete', ...(result.text !== undefined && { result: result.text }) };
    },
    endOfTooLarge: () =>
      unserializable('it is too long for the store, or could not be stored in the result storage'),
    endOfFailure(thrown, isLast) {
      const error = toStoredError(thrown);
      // rule: replayed-failures
      const end = failureEnd(thrown);
      if (end === 'replay') return { end: 'park', error, isAnswer: true };
      return { end: isLast ? 'park' : end, error };
    },
  };
}

/** Parked for as long as a completion is remembered: the effect is done, so nothing may run again before. */
function unserializable(problem: string): Ending {
  const error = new UnserializableResultError(
    `The effect is done and will not run again, but its result cannot be kept: ${problem}. Return plain JSON values that fit, or set a \`serializer\``,
  );
  return { end: 'park', error: toStoredError(error), isAnswer: true, problem };
}

function valueOf(
  outcome: CallOutcome<unknown>,
  serializer: Serializer | undefined,
  { replaysFailures }: FunctionSettings,
  { clock }: CallPorts,
): unknown {
  switch (outcome.status) {
    case 'returned':
      return returnedValue(outcome, serializer);
    case 'threw':
      throw outcome.error;
    case 'duplicate':
      return fromResultText(outcome.result, serializer);
    case 'conflict':
      throw new ConflictError(outcome.leaseUntil, clock.now());
    case 'not-started':
      throw outcome.leaseUntil === undefined
        ? new NoTimeLeftError()
        : new ConflictError(outcome.leaseUntil, clock.now());
    case 'mismatch':
      throw new MismatchError();
    case 'parked': {
      const error = replayedError(outcome.error);
      throw replaysFailures || error instanceof UnserializableResultError
        ? error
        : new ParkedError({ cause: error });
    }
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

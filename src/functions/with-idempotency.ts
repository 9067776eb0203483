import { CompletionNotStoredError, MismatchError } from '../attempts/errors.ts';
import { LeaseLostError } from '../attempts/stop-errors.ts';
import { toStoredError } from '../claims/claim.ts';
import { assertFunction } from '../options/check-options.ts';
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

/** Not `v1`: a record and a call with one namespace and key are different work, also one inside the other. */
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
  return createIdempotent(makeFn, options);
}

/** The same in a world that may be given. */
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
      ...ends,
      run: async (context: CallContext) => makeFn(context).apply(this, args as never[]),
      key: isWholeKey(options)
        ? keyString({ of: 'call', prefix: undefined, key: () => options.key(...args) })
        : prefixedKey(args, options),
      payloadHash: payload && payloadHashOf(args, payload),
      lockedBy: undefined,
      endsAt: endOfInvocation(remainingMs, ports.clock),
    };
    return valueOf(await runOnce(call, settings, ports), options, ports);
  }
  // What is read from the store is what a call of this function, or of an earlier version of it, gave.
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
    const isReplayed = typeof replayFailures === 'function' ? replayFailures(error) : replayFailures;
    if (isReplayed) return 'replay';
    return mayRunAgain(error, retryable) ? 'fail' : 'park';
  } catch {
    return 'fail'; // a broken classifier must not park a key
  }
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
      const isAnswer = replayFailures !== false || error instanceof UnserializableResultError;
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

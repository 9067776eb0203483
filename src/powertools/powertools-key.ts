import type { WholeCallKey } from '../keys/call-key.ts';
import { KeyError } from '../keys/errors.ts';
import { type KeySelector, wholeKey } from '../keys/key-selector.ts';
import { aString, type Check, checkOptionsOf } from '../options/check-options.ts';
import {
  argumentOf,
  callChecks,
  hashChecks,
  isText,
  payloadChecks,
  payloadOf,
  type PowertoolsCallOptions,
  powertoolsHash,
  type PowertoolsHashOptions,
  type PowertoolsPayloadOptions,
  selectorOf,
} from './payload-hash.ts';

/** The options of Powertools' `IdempotencyConfig` and `makeIdempotent` that make its ids, by the names they have there. */
export interface PowertoolsIdOptions extends PowertoolsHashOptions {
  /** JMESPath of the part that makes the key. Default: all of the payload. */
  readonly eventKeyJmesPath?: string;
  /** In place of the function's name. Default: that name. */
  readonly keyPrefix?: string;
  /** Comes after the function's name and a dot, as a persistence layer's own prefix. Default: nothing. */
  readonly functionName?: string;
}

const idChecks: Readonly<Record<keyof PowertoolsIdOptions, Check>> = {
  ...hashChecks,
  eventKeyJmesPath: aString(),
  keyPrefix: aString(),
  functionName: aString(),
};

/** The options of Powertools that make its ids of records, by the names they have there. */
export interface PowertoolsKeyOptions extends PowertoolsIdOptions, PowertoolsPayloadOptions {}

/**
 * The id that Powertools' idempotency utility gives the same record: `<function's name>#<hash>`, so that a table
 * that Powertools has written stays usable. It is the whole key, without a namespace. Throws a
 * `KeyError` for a record in which nothing is found: Powertools runs it without idempotency, or under one id with
 * all others like it. Throws a `ConfigurationError` for options that cannot work. `powertoolsCallKey()` is the same
 * for `withIdempotency`.
 *
 * The function's name is what `AWS_LAMBDA_FUNCTION_NAME` holds when this is called, as in Powertools when its
 * persistence layer is made.
 *
 * @param options What Powertools was given, by the names that it has there.
 *
 * @example
 * createBatchProcessor(handler, { store, key: powertoolsKey({ eventKeyJmesPath: 'messageId' }) });
 */
export function powertoolsKey(options: PowertoolsKeyOptions = {}): KeySelector {
  checkOptionsOf('powertoolsKey', options, { ...payloadChecks, ...idChecks });
  const { eventKeyJmesPath = '' } = options;
  const idOf = idMaker('record', options);
  return wholeKey((record) => idOf(payloadOf(record, options, 'eventKeyJmesPath', eventKeyJmesPath)));
}

/** The options of Powertools that make its ids of calls, by the names they have there. */
export interface PowertoolsCallKeyOptions extends PowertoolsIdOptions, PowertoolsCallOptions {}

/**
 * The id that `makeIdempotent`, `makeHandlerIdempotent` and `@idempotent` of Powertools give the same call, for
 * `withIdempotency`: `<function's name>#<hash>`, the whole key, without a namespace. Throws a `KeyError` for a call in
 * which nothing is found: Powertools runs it without idempotency, or under one id with all others like it. Throws a
 * `ConfigurationError` for options that cannot work. `powertoolsKey()` is the same for records of a batch, and says
 * what the function's name is.
 *
 * @param options What Powertools was given, by the names that it has there.
 *
 * @example
 * const chargeOnce = withIdempotency(charge, {
 *   store: dynamoDBStore({ tableName: 'idempotency', attributes: powertoolsAttributes }),
 *   key: powertoolsCallKey({ eventKeyJmesPath: 'orderId' }),
 * });
 */
export function powertoolsCallKey(options: PowertoolsCallKeyOptions = {}): WholeCallKey {
  checkOptionsOf('powertoolsCallKey', options, { ...callChecks, ...idChecks });
  const idOf = idMaker('call', options);
  return Object.assign((...args: unknown[]) => idOf(argumentOf(args, options)), {
    isWholeKey: true as const,
  });
}

/**
 * Makes the id that Powertools gives a payload: `<function's name>#<hash>`. `of` is what the payload belongs to, for
 * error messages. The function's name is read now, as Powertools reads it when its persistence layer is made.
 */
function idMaker(of: 'record' | 'call', options: PowertoolsIdOptions): (payload: unknown) => string {
  const { eventKeyJmesPath = '', keyPrefix, functionName, hashFunction } = options;
  const lambdaName = process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? '';
  const select = selectorOf(eventKeyJmesPath, options);
  const named = isText(functionName) ? `${lambdaName}.${functionName.trim()}` : lambdaName;
  const prefix = isText(keyPrefix) ? keyPrefix.trim() : named;

  return (payload) => {
    const selected = select(payload);
    if (isNothing(selected)) {
      const found =
        eventKeyJmesPath === ''
          ? `The payload of this ${of} holds nothing`
          : `The expression \`${eventKeyJmesPath}\` finds nothing in this ${of}`;
      throw new KeyError(`${found}; ${of}s without a key must not share one`);
    }
    return `${prefix}#${powertoolsHash(selected, hashFunction)}`;
  };
}

/** What Powertools takes for a missing key, except 0 and false, which are values. */
function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return isEmpty(value);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

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

/** The options of Powertools' `IdempotencyConfig` and `makeIdempotent` for its ids, by their names there. */
export interface PowertoolsIdOptions extends PowertoolsHashOptions {
  /** The JMESPath expression for the key. Default: all of the payload. */
  readonly eventKeyJmesPath?: string;
  /** A prefix that replaces the function's name. Default: that name. */
  readonly keyPrefix?: string;
  /** A suffix of the function's name, after a dot, like a persistence layer's prefix. Default: nothing. */
  readonly functionName?: string;
}

const idChecks: Readonly<Record<keyof PowertoolsIdOptions, Check>> = {
  ...hashChecks,
  eventKeyJmesPath: aString(),
  keyPrefix: aString(),
  functionName: aString(),
};

/** The options of Powertools that determine the ids of records, by their names there. */
export interface PowertoolsKeyOptions extends PowertoolsIdOptions, PowertoolsPayloadOptions {}

/**
 * Returns a `key` that derives the same keys for records as Powertools' idempotency utility,
 * `<function's name>#<hash>`, so that an existing table stays usable. The keys have no namespace. A record in
 * which nothing is found throws a `KeyError`: Powertools would run it without idempotency, or under one id
 * with all others like it. Throws a `ConfigurationError` for invalid options. For `withIdempotency`, use
 * `powertoolsCallKey()`.
 *
 * The function's name is read from `AWS_LAMBDA_FUNCTION_NAME` when this is called, as Powertools does when
 * its persistence layer is created.
 *
 * @param options The options that Powertools is configured with.
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

/** The options of Powertools that determine the ids of calls, by their names there. */
export interface PowertoolsCallKeyOptions extends PowertoolsIdOptions, PowertoolsCallOptions {}

/**
 * Returns a `key` for `withIdempotency` that derives the same keys as `makeIdempotent`,
 * `makeHandlerIdempotent` and `@idempotent` of Powertools: `<function's name>#<hash>`, without a namespace. A
 * call in which nothing is found rejects with a `KeyError`: Powertools would run it without idempotency, or
 * under one id with all others like it. Throws a `ConfigurationError` for invalid options. For records of a
 * batch, and for the function's name, see `powertoolsKey()`.
 *
 * @param options The options that Powertools is configured with.
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

/** Returns a function that makes Powertools' id of a payload. `of` is for error messages. */
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

/** Whether Powertools treats a value as a missing key. Here 0 and false are values. */
function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return isEmpty(value);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

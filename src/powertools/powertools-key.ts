import { type KeySelector, wholeKey } from '../keys/key-selector.ts';
import { checkOptionsOf } from '../options/check-options.ts';
import { idChecks, idMaker, type PowertoolsIdOptions } from './id-maker.ts';
import {
  payloadChecks,
  payloadOf,
  type PowertoolsPayloadOptions,
  argumentOf,
  callChecks,
  type PowertoolsCallOptions,
} from './record-payload.ts';
import type { WholeCallKey } from '../keys/call-key.ts';

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
 * `ConfigurationError` for options that cannot work. `powertoolsKey()` is the same for records of a batch.
 *
 * The function's name is what `AWS_LAMBDA_FUNCTION_NAME` holds when this is called, as in Powertools when its
 * persistence layer is made.
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

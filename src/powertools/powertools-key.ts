import { KeyError } from '../keys/errors.ts';
import { type KeySelector, wholeKey } from '../keys/key-selector.ts';
import { aString, type Check } from '../options/check-options.ts';
import { checkOptionsOf } from '../options/check-options-of.ts';
import { isText } from './is-text.ts';
import { payloadChecks, type PowertoolsPayloadOptions, powertoolsHash, selectorOf } from './payload-hash.ts';

/** The options of Powertools' `IdempotencyConfig` and `makeIdempotent` that make its ids, by the names they have there. */
export interface PowertoolsKeyOptions extends PowertoolsPayloadOptions {
  /** JMESPath of the part that makes the key. Default: all of the payload. */
  readonly eventKeyJmesPath?: string;
  /** In place of the function's name. Default: that name. */
  readonly keyPrefix?: string;
  /**
   * Comes after the function's name and a dot, as where a persistence layer was configured with one. Default:
   * nothing.
   */
  readonly functionName?: string;
}

const checks: Readonly<Record<keyof PowertoolsKeyOptions, Check>> = {
  ...payloadChecks,
  eventKeyJmesPath: aString(),
  keyPrefix: aString(),
  functionName: aString(),
};

/**
 * The id that Powertools' idempotency utility gives the same record: `<function's name>#<hash>`, so that a table
 * that Powertools has written stays usable. It is the whole key, without a namespace. Throws a
 * `KeyError` for a record in which nothing is found: Powertools runs it without idempotency, or under one id with
 * all others like it. Throws a `ConfigurationError` for options that cannot work.
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
  checkOptionsOf('powertoolsKey', options, checks);
  const { eventKeyJmesPath = '', keyPrefix, functionName, ...payloadOptions } = options;
  const lambdaName = process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? '';
  const select = selectorOf('eventKeyJmesPath', eventKeyJmesPath, payloadOptions);
  const named = isText(functionName) ? `${lambdaName}.${functionName.trim()}` : lambdaName;
  const prefix = isText(keyPrefix) ? keyPrefix.trim() : named;

  return wholeKey((record) => {
    const selected = select(record);
    if (isNothing(selected)) {
      throw new KeyError(
        `The expression \`${eventKeyJmesPath}\` finds nothing in this record; records without a key must not share one`,
      );
    }
    return `${prefix}#${powertoolsHash(selected, payloadOptions.hashFunction)}`;
  });
}

/** What Powertools takes for a missing key, except 0 and false, which are values. */
function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return isEmpty(value);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

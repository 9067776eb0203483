import { KeyError } from '../keys/errors.ts';
import { aString, type Check } from '../options/check-options.ts';
import { hashChecks, type PowertoolsHashOptions, powertoolsHash, selectorOf } from './payload-hash.ts';

/** The options of Powertools' `IdempotencyConfig` and `makeIdempotent` that make its ids, by the names they have there. */
export interface PowertoolsIdOptions extends PowertoolsHashOptions {
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

/** The checks of these options. */
export const idChecks: Readonly<Record<keyof PowertoolsIdOptions, Check>> = {
  ...hashChecks,
  eventKeyJmesPath: aString(),
  keyPrefix: aString(),
  functionName: aString(),
};

/**
 * Makes the id that Powertools gives a payload: `<function's name>#<hash>`. `of` is what the payload belongs to, for
 * error messages. The function's name is read now, as Powertools reads it when its persistence layer is made.
 */
export function idMaker(of: 'record' | 'call', options: PowertoolsIdOptions): (payload: unknown) => string {
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

/** Whether Powertools considers an option as set: a blank one is not. */
export function isText(value: string | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

import { createHash, getHashes } from 'node:crypto';
import type { PowertoolsFunctions } from '@aws-lambda-powertools/jmespath/functions';
import { ConfigurationError } from '../claims/errors.ts';
import type { BatchRecord } from '../sources/record.ts';
import { KeyError } from './errors.ts';
import { BoundedFunctions, find } from './jmes-functions.ts';
import { type KeySelector, wholeKey } from './key-selector.ts';

/** The options of Powertools' `IdempotencyConfig` and `makeIdempotent` that make its ids, by the names they have there. */
export interface PowertoolsKeyOptions extends PowertoolsPayloadOptions {
  /** JMESPath of the part that makes the key. Default: all of the payload. */
  readonly eventKeyJmesPath?: string;
  /** In place of the function's name. */
  readonly keyPrefix?: string;
  /** Comes after the function's name and a dot, as where a persistence layer was configured with one. */
  readonly functionName?: string;
}

export interface PowertoolsPayloadOptions {
  /**
   * What the idempotent function was given: the argument that `dataIndexArgument` names, or the first. Default: the
   * record as Lambda gave it, which is what `processPartialResponse` hands to its record handler.
   */
  readonly payload?: (record: BatchRecord) => unknown;
  /** Default `md5`. */
  readonly hashFunction?: string;
  /**
   * JMESPath functions of your own, as `jmesPathOptions` of `IdempotencyConfig`. What they inflate is yours to bound;
   * the default inflates at most 10 MB, or a 64th of the function's memory.
   */
  readonly jmesPathOptions?: PowertoolsFunctions;
}

/** Selects the id that Powertools gives a record in the Lambda function of this name. */
export function powertoolsId(
  { eventKeyJmesPath = '', keyPrefix, functionName, ...payloadOptions }: PowertoolsKeyOptions,
  lambdaName: string,
): KeySelector {
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

/** For `payloadValidation`: the hash that Powertools stores for `payloadValidationJmesPath`. */
export function powertoolsValidation({
  payloadValidationJmesPath,
  ...payloadOptions
}: PowertoolsPayloadOptions & { readonly payloadValidationJmesPath: string }): KeySelector {
  if (!isText(payloadValidationJmesPath)) {
    throw new ConfigurationError('Expected `payloadValidationJmesPath` to be a JMESPath expression');
  }
  const select = selectorOf('payloadValidationJmesPath', payloadValidationJmesPath, payloadOptions);
  return (record) => powertoolsHash(select(record), payloadOptions.hashFunction);
}

function selectorOf(
  option: string,
  expression: string,
  { payload, hashFunction = 'md5', jmesPathOptions, ...unknown }: PowertoolsPayloadOptions,
): (record: BatchRecord) => unknown {
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined)
    throw new ConfigurationError(`Unknown option \`${stranger}\` beside \`${option}\``);
  if (!getHashes().includes(hashFunction)) {
    throw new ConfigurationError(
      `Expected \`hashFunction\` to be one that Node knows, got \`${hashFunction}\``,
    );
  }
  const customFunctions = jmesPathOptions ?? new BoundedFunctions();
  return (record) => {
    if (expression === '' && payload === undefined && record.source === 'sqs') {
      throw new KeyError(
        `An SQS record as a whole changes with every delivery; give powertoolsKey an \`${option}\` or a \`payload\``,
      );
    }
    const data = payload === undefined ? record.raw : payload(record);
    if (expression === '') return data;
    return find(expression, data, customFunctions);
  };
}

function powertoolsHash(value: unknown, hashFunction = 'md5'): string {
  const json = JSON.stringify(deepSort(value)) as string | undefined;
  if (json === undefined) throw new KeyError(`JSON cannot hold a ${typeof value}, which is to be hashed`);
  return createHash(hashFunction).update(json).digest('base64');
}

/**
 * As Powertools sorts, to the letter: names that differ in case alone never compare as equal, and the copies are
 * plain objects, in which names that are integers come first and `__proto__` is lost.
 */
function deepSort(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepSort);
  if (Object.prototype.toString.call(value) !== '[object Object]') return value;
  const object = value as Readonly<Record<string, unknown>>;
  const sorted: Record<string, unknown> = {};
  for (const name of Object.keys(object).sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))) {
    sorted[name] = deepSort(object[name]);
  }
  return sorted;
}

/** Powertools' notion of a missing key, but for 0 and false, which are values. */
function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return isEmpty(value);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function isText(value: string | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

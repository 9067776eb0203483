import { createHash, getHashes } from 'node:crypto';
import type { PowertoolsFunctions } from '@aws-lambda-powertools/jmespath/functions';
import { BoundedFunctions, find } from '../jmespath/jmes-functions.ts';
import type { CallPayloadHash } from '../keys/call-key.ts';
import { KeyError } from '../keys/errors.ts';
import type { KeySelector } from '../keys/key-selector.ts';
import { isObject } from '../base/is-object.ts';
import {
  aFunction,
  anInteger,
  anObject,
  type Check,
  checkOptionsOf,
  required,
} from '../options/check-options.ts';
import type { BatchRecord } from '../sources/record.ts';

/** How Powertools hashes: its ids and its payload validation have these options in common. */
export interface PowertoolsHashOptions {
  /** Default `md5`. */
  readonly hashFunction?: string;
  /**
   * JMESPath functions of your own, as `jmesPathOptions` of `IdempotencyConfig`. What they inflate is yours to bound;
   * the default inflates at most 10 MB, or a 64th of the function's memory.
   */
  readonly jmesPathOptions?: PowertoolsFunctions;
}

export const hashChecks: Readonly<Record<keyof PowertoolsHashOptions, Check>> = {
  hashFunction: {
    expected: 'a hash function that Node.js supports',
    accepts: (value) => getHashes().includes(value as string),
  },
  jmesPathOptions: anObject(),
};

/** What Powertools hashes of a record, and how: its ids and its payload validation have these options in common. */
export interface PowertoolsPayloadOptions extends PowertoolsHashOptions {
  /**
   * What the idempotent function was given: the argument that `dataIndexArgument` names, or the first. Default: the
   * record as Lambda gave it, which is what `processPartialResponse` hands to its record handler.
   *
   * @param record The record.
   */
  readonly payload?: (record: BatchRecord) => unknown;
}

export const payloadChecks: Readonly<Record<keyof PowertoolsPayloadOptions, Check>> = {
  ...hashChecks,
  payload: aFunction(),
};

/** What Powertools was given of a record, of which `expression`, the value of `option`, selects a part. */
export function payloadOf(
  record: BatchRecord,
  { payload }: PowertoolsPayloadOptions,
  option: string,
  expression: string,
): unknown {
  if (expression === '' && payload === undefined && record.source === 'sqs') {
    throw new KeyError(
      `An SQS record as a whole changes with every delivery; give powertoolsKey an \`${option}\` or a \`payload\``,
    );
  }
  return payload === undefined ? record.raw : payload(record);
}

/** What Powertools hashes of a call, and how: its ids and its payload validation have these options in common. */
export interface PowertoolsCallOptions extends PowertoolsHashOptions {
  /**
   * Which argument is hashed, from 0. As in Powertools, a call whose second argument is a Lambda context, or a durable
   * one, is known by its first in any case. Default 0.
   */
  readonly dataIndexArgument?: number;
}

export const callChecks: Readonly<Record<keyof PowertoolsCallOptions, Check>> = {
  ...hashChecks,
  dataIndexArgument: anInteger(0),
};

/** The argument that `makeIdempotent` hashes. */
export function argumentOf(
  args: readonly unknown[],
  { dataIndexArgument = 0 }: PowertoolsCallOptions,
): unknown {
  return isContext(args[1]) ? args[0] : args[dataIndexArgument];
}

/** A Lambda context, or a durable one, which holds a Lambda context. */
function isContext(value: unknown): boolean {
  if (!isObject(value)) return false;
  return 'getRemainingTimeInMillis' in value || ('lambdaContext' in value && isContext(value.lambdaContext));
}

/**
 * For `payloadValidation` of a batch: the hash that Powertools stores for `payloadValidationJmesPath`.
 *
 * @param options What of the record is compared.
 * @throws `ConfigurationError` for an option that is unknown, missing or impossible.
 */
export function powertoolsValidation(
  options: PowertoolsPayloadOptions & PowertoolsValidationOptions,
): KeySelector {
  checkOptionsOf('powertoolsValidation', options, { ...payloadChecks, ...validationChecks });
  const { payloadValidationJmesPath } = options;
  const hashOf = validationHash(options);
  return (record) =>
    hashOf(payloadOf(record, options, 'payloadValidationJmesPath', payloadValidationJmesPath));
}

/**
 * For `payload` of `withIdempotency`: the hash that Powertools stores for `payloadValidationJmesPath`.
 *
 * @param options What of the call is compared.
 * @throws `ConfigurationError` for an option that is unknown, missing or impossible.
 */
export function powertoolsCallValidation(
  options: PowertoolsCallOptions & PowertoolsValidationOptions,
): CallPayloadHash {
  checkOptionsOf('powertoolsCallValidation', options, { ...callChecks, ...validationChecks });
  const hashOf = validationHash(options);
  return Object.assign((...args: unknown[]) => hashOf(argumentOf(args, options)), {
    isPayloadHash: true as const,
  });
}

/** The option of Powertools' `IdempotencyConfig` that turns its payload validation on, by the name it has there. */
export interface PowertoolsValidationOptions {
  /** JMESPath of what must be the same when a key comes again. */
  readonly payloadValidationJmesPath: string;
}

const validationChecks = {
  payloadValidationJmesPath: required({ expected: 'a JMESPath expression', accepts: isText }),
};

/** Makes the hash that Powertools stores as `validation`. */
function validationHash(
  options: PowertoolsHashOptions & PowertoolsValidationOptions,
): (payload: unknown) => string {
  const select = selectorOf(options.payloadValidationJmesPath, options);
  return (payload) => powertoolsHash(select(payload), options.hashFunction);
}

/** Selects what an expression finds in a payload, as Powertools does. */
export function selectorOf(
  expression: string,
  { jmesPathOptions }: PowertoolsHashOptions,
): (payload: unknown) => unknown {
  const customFunctions = jmesPathOptions ?? new BoundedFunctions();
  return (payload) => (expression === '' ? payload : find(expression, payload, customFunctions));
}

/** The hash that Powertools makes of a value. Throws a `KeyError` for what JSON cannot hold. */
export function powertoolsHash(value: unknown, hashFunction = 'md5'): string {
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

/** Whether Powertools considers an option as set: a blank one is not. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

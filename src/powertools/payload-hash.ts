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

/** The hash options that Powertools' ids and its payload validation share. */
export interface PowertoolsHashOptions {
  /** The hash algorithm. Default `md5`. */
  readonly hashFunction?: string;
  /**
   * Custom JMESPath functions, like `jmesPathOptions` of `IdempotencyConfig`; limit what they inflate.
   * Default: functions that inflate at most 10 MB, or a 64th of the function's memory.
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

/** The options for hashing a record, shared by Powertools' ids and its payload validation. */
export interface PowertoolsPayloadOptions extends PowertoolsHashOptions {
  /**
   * Returns the payload of the idempotent function: the argument named by `dataIndexArgument`, or the first.
   * Default: the record as Lambda delivered it, as `processPartialResponse` passes it to its handler.
   *
   * @param record The record.
   */
  readonly payload?: (record: BatchRecord) => unknown;
}

export const payloadChecks: Readonly<Record<keyof PowertoolsPayloadOptions, Check>> = {
  ...hashChecks,
  payload: aFunction(),
};

/** Returns the payload of a record, from which `expression`, the value of `option`, selects a part. */
export function payloadOf(
  record: BatchRecord,
  { payload }: PowertoolsPayloadOptions,
  option: string,
  expression: string,
): unknown {
  if (expression === '' && payload === undefined && record.source === 'sqs') {
    throw new KeyError(
      `An SQS record as a whole changes with every delivery; set \`${option}\` or \`payload\``,
    );
  }
  return payload === undefined ? record.raw : payload(record);
}

/** The options for hashing a call, shared by Powertools' ids and its payload validation. */
export interface PowertoolsCallOptions extends PowertoolsHashOptions {
  /**
   * The index of the hashed argument, from 0. As in Powertools, the first argument is always used if the
   * second is a Lambda or durable context. Default 0.
   */
  readonly dataIndexArgument?: number;
}

export const callChecks: Readonly<Record<keyof PowertoolsCallOptions, Check>> = {
  ...hashChecks,
  dataIndexArgument: anInteger(0),
};

/** Returns the argument that `makeIdempotent` hashes. */
export function argumentOf(
  args: readonly unknown[],
  { dataIndexArgument = 0 }: PowertoolsCallOptions,
): unknown {
  return isContext(args[1]) ? args[0] : args[dataIndexArgument];
}

/** Whether a value is a Lambda context, or a durable context, which holds one. */
function isContext(value: unknown): boolean {
  if (!isObject(value)) return false;
  return 'getRemainingTimeInMillis' in value || ('lambdaContext' in value && isContext(value.lambdaContext));
}

/**
 * Returns a `payloadValidation` for batches that makes Powertools' hash of `payloadValidationJmesPath`.
 *
 * @param options The part of the record that is compared.
 * @throws `ConfigurationError` for an unknown, missing or invalid option.
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
 * Returns a `payload` for `withIdempotency` that makes Powertools' hash of `payloadValidationJmesPath`.
 *
 * @param options The part of the call that is compared.
 * @throws `ConfigurationError` for an unknown, missing or invalid option.
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

/** The option of Powertools' `IdempotencyConfig` that enables payload validation. */
export interface PowertoolsValidationOptions {
  /** The JMESPath expression for the part that must be equal in all deliveries of a key. */
  readonly payloadValidationJmesPath: string;
}

const validationChecks = {
  payloadValidationJmesPath: required({ expected: 'a JMESPath expression', accepts: isText }),
};

function validationHash(
  options: PowertoolsHashOptions & PowertoolsValidationOptions,
): (payload: unknown) => string {
  const select = selectorOf(options.payloadValidationJmesPath, options);
  return (payload) => powertoolsHash(select(payload), options.hashFunction);
}

/** Returns a function that selects a part of a payload as Powertools does. */
export function selectorOf(
  expression: string,
  { jmesPathOptions }: PowertoolsHashOptions,
): (payload: unknown) => unknown {
  const customFunctions = jmesPathOptions ?? new BoundedFunctions();
  return (payload) => (expression === '' ? payload : find(expression, payload, customFunctions));
}

/** Returns Powertools' hash of a value. Throws a `KeyError` for a value that JSON cannot represent. */
export function powertoolsHash(value: unknown, hashFunction = 'md5'): string {
  const json = JSON.stringify(deepSort(value)) as string | undefined;
  if (json === undefined)
    throw new KeyError(`JSON cannot represent a ${typeof value}, so it cannot be hashed: make it a string`);
  return createHash(hashFunction).update(json).digest('base64');
}

/**
 * Sorts members exactly as Powertools does: names that differ only in case never compare as equal, and in the
 * copies, plain objects, integer names come first and `__proto__` is lost.
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

/** Whether Powertools treats an option as set: a blank one is not. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

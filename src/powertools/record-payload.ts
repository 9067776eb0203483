import { KeyError } from '../keys/errors.ts';
import { aFunction, type Check, anInteger } from '../options/check-options.ts';
import type { BatchRecord } from '../sources/record.ts';
import { hashChecks, type PowertoolsHashOptions } from './payload-hash.ts';
import { isObject } from '../base/is-object.ts';

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

/** The checks of these options. */
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

/** The checks of these options. */
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

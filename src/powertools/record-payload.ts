import { KeyError } from '../keys/errors.ts';
import { aFunction, type Check } from '../options/check-options.ts';
import type { BatchRecord } from '../sources/record.ts';
import { hashChecks, type PowertoolsHashOptions } from './payload-hash.ts';

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

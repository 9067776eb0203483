import { isObject } from '../base/is-object.ts';
import { anInteger, type Check } from '../options/check-options.ts';
import { hashChecks, type PowertoolsHashOptions } from './payload-hash.ts';

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

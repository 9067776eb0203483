import { createHash, getHashes } from 'node:crypto';
import type { PowertoolsFunctions } from '@aws-lambda-powertools/jmespath/functions';
import { BoundedFunctions, find } from '../jmespath/jmes-functions.ts';
import { KeyError } from '../keys/errors.ts';
import { anObject, type Check } from '../options/check-options.ts';

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

/** The checks of these options. */
export const hashChecks: Readonly<Record<keyof PowertoolsHashOptions, Check>> = {
  hashFunction: {
    expected: 'a hash function that Node.js supports',
    accepts: (value) => getHashes().includes(value as string),
  },
  jmesPathOptions: anObject(),
};

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

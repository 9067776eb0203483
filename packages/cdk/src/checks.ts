import type { Duration } from 'aws-cdk-lib/core';
import type { Check } from './check-options.ts';

/** Accepts a `Duration`, recognised by its methods because an app may contain two copies of the CDK. */
export function aDuration(): Check {
  return {
    expected: 'a Duration of aws-cdk-lib that is known at synthesis',
    accepts: (value) =>
      hasMembers(value, ['toSeconds', 'isUnresolved']) && !(value as Duration).isUnresolved(),
  };
}

/** Accepts an object of the CDK, or of this library, that has these members. */
export function aConstruct(what: string, ...names: readonly string[]): Check {
  return { expected: what, accepts: (value) => hasMembers(value, names) };
}

/** Accepts an array of constructs. */
export function aListOf(one: Check): Check {
  return {
    expected: `an array, each of it ${one.expected}`,
    accepts: (value) => Array.isArray(value) && value.every((each) => one.accepts(each)),
  };
}

/** Accepts a threshold, or `false` for no alarm. */
export function aThreshold(threshold: Check): Check {
  return {
    expected: `${threshold.expected}, or false`,
    accepts: (value) => value === false || threshold.accepts(value),
  };
}

function hasMembers(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.every((name) => name in value);
}

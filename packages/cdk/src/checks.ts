import type { Duration } from 'aws-cdk-lib/core';
import type { Check } from './check-options.ts';

/** A `Duration` of the CDK. By its methods, since a program may hold two copies of the CDK. */
export function aDuration(): Check {
  return {
    expected: 'a Duration of aws-cdk-lib that is known at synthesis',
    accepts: (value) =>
      hasMembers(value, ['toSeconds', 'isUnresolved']) && !(value as Duration).isUnresolved(),
  };
}

/** An object of the CDK, or of this library, that has these members. */
export function aConstruct(what: string, ...names: readonly string[]): Check {
  return { expected: what, accepts: (value) => hasMembers(value, names) };
}

/** Constructs of one kind. */
export function aListOf(one: Check): Check {
  return {
    expected: `an array, each of it ${one.expected}`,
    accepts: (value) => Array.isArray(value) && value.every((each) => one.accepts(each)),
  };
}

/** What an alarm is given at, or `false` for no alarm. */
export function aThreshold(threshold: Check): Check {
  return {
    expected: `${threshold.expected}, or false`,
    accepts: (value) => value === false || threshold.accepts(value),
  };
}

function hasMembers(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.every((name) => name in value);
}

import { isObject } from '../base/is-object.ts';
import { anInteger, type Check, objectWith, required } from './check-options.ts';

export function aStore(): Check {
  return required(objectWith('acquire', 'settle', 'extend', 'inspect'));
}

export function anAdmin(): Check {
  return {
    expected: 'an admin of claims, such as dynamoDBAdmin({ tableName }), and no store',
    accepts: objectWith('list', 'count', 'read', 'change').accepts,
  };
}

export function aRetention(): Check {
  const anEnd = anInteger(1_000);
  return {
    expected: `${anEnd.expected}, or an object { completed?, failed?, parked? } of these`,
    accepts: anEnd.accepts,
    parts: { completed: anEnd, failed: anEnd, parked: anEnd },
  };
}

export function aNamespace(): Check {
  return {
    expected: 'a non-empty string without `#`, or a function that gives one',
    accepts: (value) =>
      typeof value === 'function' || (typeof value === 'string' && value !== '' && !value.includes('#')),
  };
}

export function aUrl(): Check {
  return { expected: "a queue's URL", accepts: (value) => typeof value === 'string' && URL.canParse(value) };
}

/** Checks that a policy comes from the library's function for the option that has this name. */
export function aPolicy(maker: string): Check {
  return {
    expected: `the result of ${maker}`,
    accepts: (value, name) => isObject(value) && 'option' in value && value.option === name,
  };
}

import { inspect } from 'node:util';
import { ConfigurationError } from './errors.ts';

/** A check of an option. */
export interface Check {
  readonly expected: string;
  accepts(value: unknown): boolean;
  readonly isRequired?: boolean;
  /** Checks of the members of an object. Errors name a wrong one as `option.member`. */
  readonly parts?: Readonly<Record<string, Check>>;
}

/** Throws a `ConfigurationError` that names the caller (`of`), the option and its value. */
export function checkOptionsOf(of: string, options: unknown, checks: Readonly<Record<string, Check>>): void {
  if (!isObject(options)) {
    throw new ConfigurationError(`${of}: Expected the options to be an object, got ${shown(options)}`);
  }
  checkMembers(of, '', options, checks);
}

function checkMembers(
  of: string,
  prefix: string,
  options: object,
  checks: Readonly<Record<string, Check>>,
): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined) {
    const known = Object.keys(checks).join(', ');
    throw new ConfigurationError(`${of}: Unknown option \`${prefix}${unknown}\`; known options are ${known}`);
  }
  for (const [name, check] of Object.entries(checks)) {
    const value = (options as Record<string, unknown>)[name];
    if (check.parts !== undefined && isObject(value)) {
      checkMembers(of, `${prefix}${name}.`, value, check.parts);
    } else if (value === undefined ? check.isRequired === true : !check.accepts(value)) {
      throw new ConfigurationError(
        `${of}: Expected \`${prefix}${name}\` to be ${check.expected}, got ${shown(value)}`,
      );
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return `\`${inspect(value, { depth: 0, breakLength: Infinity, maxStringLength: 80 })}\` (${typeof value})`;
}

export function required(check: Check): Check {
  return { ...check, isRequired: true };
}

export function anInteger(from: number): Check {
  return {
    expected: `an integer from ${from} up`,
    accepts: (value) => Number.isSafeInteger(value) && (value as number) >= from,
  };
}

export function aFunction(): Check {
  return { expected: 'a function', accepts: (value) => typeof value === 'function' };
}

/** Accepts an object; its members are checked elsewhere. */
export function anObject(): Check {
  return { expected: 'an object', accepts: isObject };
}

export function aString(): Check {
  return { expected: 'a string', accepts: (value) => typeof value === 'string' };
}

export function aBoolean(): Check {
  return { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
}

export function oneOf(...values: string[]): Check {
  return {
    expected: values.map((value) => `'${value}'`).join(' or '),
    accepts: (value) => values.includes(value as string),
  };
}

export function either(one: Check, other: Check): Check {
  return {
    expected: `${one.expected}, or ${other.expected}`,
    accepts: (value) => one.accepts(value) || other.accepts(value),
  };
}

export function objectWith(...methods: string[]): Check {
  return {
    expected: `an object with ${methods.map((method) => `${method}()`).join(', ')}`,
    accepts: (value) =>
      isObject(value) &&
      methods.every((method) => typeof (value as Record<string, unknown>)[method] === 'function'),
  };
}

/** Accepts an admin of claims, not a store. */
export function anAdmin(): Check {
  const expected = 'an admin of claims, such as dynamoDBAdmin({ tableName }), and no store';
  return { ...objectWith('list', 'count', 'read', 'change'), expected };
}

/** Accepts an operator or a reason. Rejects control characters and marks that reverse a terminal's text. */
export function words(most: number): Check {
  return {
    expected: `1 to ${most} characters without control characters`,
    accepts: (value) =>
      typeof value === 'string' &&
      value.length <= most &&
      value.trim() !== '' &&
      !/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(value),
  };
}

import { builtIn } from '../base/built-in.ts';
import { ConfigurationError } from '../base/errors.ts';

export interface Check {
  readonly expected: string;
  /** `name` is the name of the option or member. */
  accepts(value: unknown, name?: string): boolean;
  readonly isRequired?: boolean;
  /** Whether the value may contain a password, as in a URL given as a client. Errors show only its type. */
  readonly isSecret?: boolean;
  /** The checks of an object's members; errors name them as `option.member`. */
  readonly parts?: Readonly<Record<string, Check>>;
}

/** Checks options at start. Throws a `ConfigurationError` that names the option and its value. */
export function checkOptions(options: unknown, checks: Readonly<Record<string, Check>>): void {
  if (!isObject(options)) {
    throw new ConfigurationError(`Expected the options to be an object, got ${shown(options)}`);
  }
  checkMembers('', options, checks);
}

function checkMembers(prefix: string, options: object, checks: Readonly<Record<string, Check>>): void {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(checks, name)) continue;
    const known = Object.keys(checks).join(', ');
    throw new ConfigurationError(`Unknown option \`${prefix}${name}\`; known options are ${known}`);
  }
  for (const [name, check] of Object.entries(checks)) {
    const value = (options as Record<string, unknown>)[name];
    const path = prefix + name;
    if (check.parts !== undefined && isObject(value)) {
      checkMembers(`${path}.`, value, check.parts);
    } else if (!isFit(name, value, check)) {
      throw new ConfigurationError(
        `Expected \`${path}\` to be ${check.expected}, got ${shown(value, check)}`,
      );
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function aListOf(expected: string, fits: (value: unknown) => boolean = () => true): Check {
  return { expected, accepts: (value) => Array.isArray(value) && value.every((one) => fits(one)) };
}

export function required(check: Check): Check {
  return { ...check, isRequired: true };
}

export function aNumber(): Check {
  return { expected: 'a number', accepts: (value) => typeof value === 'number' };
}

export function anInteger(from: number, to: number = Infinity): Check {
  return {
    expected: `an integer from ${from} ${to === Infinity ? 'up' : `to ${to}`}`,
    accepts: (value) => Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to,
  };
}

export function aFunction(): Check {
  return { expected: 'a function', accepts: (value) => typeof value === 'function' };
}

export function anObject(): Check {
  return { expected: 'an object', accepts: isObject };
}

export function aString(): Check {
  return { expected: 'a string', accepts: (value) => typeof value === 'string' };
}

export function aBoolean(): Check {
  return { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
}

export function oneOf(...values: (string | true)[]): Check {
  return {
    expected: values.map((value) => (value === true ? 'true' : `'${value}'`)).join(' or '),
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
      methods.every((method) => typeof (value as Record<string, unknown> | null)?.[method] === 'function'),
  };
}

/** Checks a client or pool of the user, without showing it in errors. */
export function aClient(expected: string, accepts: Check['accepts']): Check {
  return { expected, accepts, isRequired: true, isSecret: true };
}

/** Checks an object that has these members and no others. */
export function members(known: Readonly<Record<string, Check>>): Check {
  const shape = Object.entries(known).map(
    ([name, { expected, isRequired }]) => `${name}${isRequired === true ? '' : '?'}: ${expected}`,
  );
  return {
    expected: `an object { ${shape.join(', ')} }`,
    accepts: (value) =>
      typeof value === 'object' &&
      value !== null &&
      Object.keys(value).every((name) => Object.hasOwn(known, name)) &&
      Object.entries(known).every(([name, check]) =>
        isFit(name, (value as Record<string, unknown>)[name], check),
      ),
  };
}

function isFit(name: string, value: unknown, check: Check): boolean {
  return value === undefined ? check.isRequired !== true : check.accepts(value, name);
}

function shown(value: unknown, { isSecret = false }: Pick<Check, 'isSecret'> = {}): string {
  if (isSecret && value !== undefined && value !== null) {
    return typeof value === 'object' ? 'another object' : `a ${typeof value}`;
  }
  const { inspect } = builtIn('node:util');
  return `\`${inspect(value, { depth: 0, breakLength: Infinity, maxStringLength: 80 })}\` (${typeof value})`;
}

/** Refuses generator functions too: a call of one returns at once, and runs nothing of it. */
export function assertFunction(what: string, given: unknown): void {
  const { types } = builtIn('node:util');
  const kind = types.isGeneratorFunction(given) ? 'a generator' : typeof given;
  if (kind !== 'function') throw new ConfigurationError(`Expected the ${what} to be a function, got ${kind}`);
}

/**
 * Returns what the first argument of a `…Context` function has made for an attempt. Throws a
 * `ConfigurationError` unless it is a function: the work itself was passed, and ran with the context.
 */
export function madeFunction<Made>(made: Made): Made {
  if (typeof made === 'function') return made;
  if (made instanceof Promise) made.catch(() => undefined); // an unhandled rejection would end the process
  const shown = made instanceof Promise ? 'a promise' : typeof made;
  throw new ConfigurationError(
    `Expected the first argument to return a function, as \`(context) => async (…) => …\` does, got ${shown}`,
  );
}

/** Checks the options of a factory. Throws a `ConfigurationError` that names it, the option and its value. */
export function checkOptionsOf(
  factory: string,
  options: unknown,
  checks: Readonly<Record<string, Check>>,
): void {
  try {
    checkOptions(options, checks);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(`${factory}: ${error.message}`);
  }
}

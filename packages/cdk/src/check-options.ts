import { inspect } from 'node:util';

/** An invalid property. Its code is that of batchlatch's own error. */
export class ConfigurationError extends Error {
  readonly code = 'BATCHLATCH_CONFIGURATION';
  override readonly name = 'ConfigurationError';
}

/** A check of a property. */
export interface Check {
  readonly expected: string;
  accepts(value: unknown): boolean;
  readonly isRequired?: boolean;
}

/** Throws a `ConfigurationError` that names the construct (`of`), the property and its value. */
export function checkOptionsOf(of: string, options: unknown, checks: Readonly<Record<string, Check>>): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ConfigurationError(`${of}: Expected the options to be an object, got ${shown(options)}`);
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined) {
    const known = Object.keys(checks).join(', ');
    throw new ConfigurationError(`${of}: Unknown option \`${unknown}\`; known options are ${known}`);
  }
  for (const [name, { expected, accepts, isRequired }] of Object.entries(checks)) {
    const value = (options as Record<string, unknown>)[name];
    if (value === undefined ? isRequired !== true : accepts(value)) continue;
    throw new ConfigurationError(`${of}: Expected \`${name}\` to be ${expected}, got ${shown(value)}`);
  }
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

export function aString(): Check {
  return { expected: 'a string', accepts: (value) => typeof value === 'string' };
}

export function aBoolean(): Check {
  return { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
}

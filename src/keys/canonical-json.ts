import canonicalize from 'canonicalize';
import { builtIn } from '../base/built-in.ts';
import { KeyError } from './errors.ts';
import { parseExactly } from '../sources/exact-numbers.ts';
import { assertParsable } from '../sources/json-text.ts';

const { hash } = builtIn('node:crypto');

/** Deeper than real messages, and far from overflowing the stack. */
const DEEPEST = 200;

/** More than real messages have. The canonical form of this many takes some hundred megabytes. */
const MOST_VALUES = 1_000_000;

/** Returns the SHA-256, in hex, of RFC 8785 canonical JSON. Throws a `KeyError` if there is no exact form. */
export function canonicalHash(value: unknown): string {
  return hash('sha256', canonicalText(value));
}

/** Returns RFC 8785 canonical JSON. `path` is the value's path in the payload, for error messages. */
export function canonicalText(value: unknown, path: readonly string[] = []): string {
  assertHashable(value, path);
  let canonical: string | undefined;
  try {
    canonical = canonicalize(value);
  } catch (cause) {
    throw new KeyError('The payload has no canonical JSON form', { cause });
  }
  if (canonical === undefined)
    throw new KeyError('The payload is undefined and has no canonical JSON form: hash a JSON value');
  return canonical;
}

/**
 * Throws a `KeyError` with the path of a value that canonical JSON loses or cannot represent: inexact numbers
 * (RFC 8785, appendix D), class instances, functions, symbols, bigints, cycles, and payloads too deep or too
 * large.
 */
export function assertHashable(value: unknown, base: readonly string[] = []): void {
  const problem = problemOf(value, 0, { values: 0, ancestors: [] });
  if (problem === undefined) return;
  const { what, why } = problem;
  const path = [...base, ...problem.path];
  const shown = path.length > LONGEST_PATH ? [...path.slice(0, LONGEST_PATH), '…'] : path;
  const where = path.length === 0 ? '' : ` at \`${shown.join('.')}\``;
  throw new KeyError(`The payload ${what}${where}${why === undefined ? '' : `, ${why}`}`);
}

/** Parts of a path in error messages; that of a cycle is endless. */
const LONGEST_PATH = 10;

interface Problem {
  readonly what: string;
  /** The path to the value, filled in on the way back. */
  readonly path: string[];
  /** Why no key can be made of it, and what to do. */
  readonly why?: string;
}

interface Walk {
  values: number;
  /** The values on the current path, by depth; deeper entries are stale. */
  readonly ancestors: unknown[];
}

function problemOf(value: unknown, depth: number, walk: Walk): Problem | undefined {
  walk.values += 1;
  if (walk.values > MOST_VALUES)
    return { what: `has more than ${MOST_VALUES} values`, path: [], why: NAME_VALUES };
  if (depth > DEEPEST) return tooDeep(walk.ancestors);
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return undefined;
    case 'number':
      return problemOfNumber(value);
    case 'object':
      return value === null ? undefined : problemOfObject(value, depth, walk);
    case 'bigint':
    case 'function':
    case 'symbol':
      return { what: `has a ${typeof value}`, path: [], why: NOT_IN_JSON };
  }
}

const NAME_VALUES = 'so it cannot be hashed; name the values that make the key (`include`)';
const NOT_IN_JSON = 'which JSON does not have; make it a string, or leave it out of the key';
const NOT_EXACT =
  'which JSON numbers cannot represent exactly; send it as a string, or leave it out of the key';

function problemOfNumber(value: number): Problem | undefined {
  if (Number.isNaN(value)) return { what: 'has a NaN', path: [], why: NOT_IN_JSON };
  if (!Number.isFinite(value)) {
    return { what: 'has a number with too many digits, or too large', path: [], why: NOT_EXACT };
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return { what: 'has an integer beyond 2^53', path: [], why: NOT_EXACT };
  }
  return undefined;
}

function problemOfObject(value: object, depth: number, walk: Walk): Problem | undefined {
  walk.ancestors[depth] = value;
  if (hasToJson(value)) return problemOf(value.toJSON(), depth + 1, walk);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const problem = problemOf(value[index], depth + 1, walk);
      if (problem !== undefined) return below(problem, String(index));
    }
    return undefined;
  }
  if (!isPlain(value)) return problemOfInstance(value);
  for (const name of Object.keys(value)) {
    const problem = problemOf((value as Record<string, unknown>)[name], depth + 1, walk);
    if (problem !== undefined) return below(problem, name);
  }
  return undefined;
}

function below(problem: Problem, name: string): Problem {
  problem.path.unshift(name);
  return problem;
}

/** Returns whether `JSON.stringify` would call `toJSON`, as for a `Date` or a database document. */
export function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

/** Returns whether a value is a plain object, of this realm or another. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf');
}

function problemOfInstance(value: object): Problem {
  if (value instanceof Promise) value.catch(() => undefined); // nobody awaits it
  const { constructor } = value;
  const name =
    typeof constructor === 'function' && constructor.name !== '' ? constructor.name : 'class instance';
  return {
    what: `has a ${name}`,
    path: [],
    why:
      'whose content JSON does not show; ' +
      'name the values that make the key (`include`), or pass a plain object',
  };
}

function tooDeep(ancestors: readonly unknown[]): Problem {
  const isCycle = new Set(ancestors).size < ancestors.length;
  return {
    what: isCycle ? 'contains itself' : `is nested deeper than ${DEEPEST} levels`,
    path: [],
    why: NAME_VALUES,
  };
}

/**
 * Returns the SHA-256, in hex, of the canonical form of a JSON text: equal values, equal hashes. Throws a
 * `KeyError` for values without an exact form, a `DecodeError` for a text too large, or the error of
 * `JSON.parse`.
 */
export function jsonTextHash(text: string): string {
  assertParsable(text);
  return canonicalHash(parseExactly(text));
}

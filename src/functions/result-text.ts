import { Buffer } from 'node:buffer';

/** Turns results into text and back, for those that JSON cannot represent, e.g. superjson. The text should be JSON. */
export interface Serializer {
  /**
   * Makes the text that is stored. What it throws is an `UnserializableResultError`.
   *
   * @param value What the function returned.
   */
  readonly stringify: (value: unknown) => string;
  /**
   * Makes the result of a stored text again.
   *
   * @param text What `stringify` returned.
   */
  readonly parse: (text: string) => unknown;
}

export type ResultText =
  /** No text for `undefined`, the result of functions that return nothing. */
  | { readonly text?: string }
  /** Why the value cannot be kept, with its path from `$`. */
  | { readonly problem: string };

/**
 * The text that is stored of a result: such that reading it gives the same value. `JSON.stringify` alone would turn a
 * Date into a string, a Map into `{}` and NaN into null silently, and a replay would not be what the first
 * caller got. Members that are `undefined` are left out, as JSON does.
 */
export function toResultText(
  value: unknown,
  serializer: Serializer | undefined,
  maxBytes: number = Infinity,
): ResultText {
  if (value === undefined) return {};
  let text: string;
  try {
    if (serializer === undefined) {
      const misfit = findMisfit(value, '$', []);
      if (misfit !== undefined) return { problem: misfit };
      text = JSON.stringify(value);
    } else {
      text = serializer.stringify(value);
      if ((text as unknown) instanceof Promise) (text as unknown as Promise<unknown>).catch(() => undefined);
      if (typeof text !== 'string') return { problem: 'the serializer returned no text' };
    }
  } catch {
    return { problem: 'it cannot be read' }; // a getter, a proxy or a serializer that throws, with text of the payload
  }
  if (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes) {
    return { problem: `it is longer than the ${maxBytes} bytes that the store keeps` };
  }
  return { text };
}

/** A new value for each call, so that one caller's changes do not affect another's. */
export function fromResultText(text: string | undefined, serializer: Serializer | undefined): unknown {
  if (text === undefined) return undefined;
  return serializer === undefined ? JSON.parse(text) : serializer.parse(text);
}

/** Far below what would overflow the stack of this search or of JSON's. */
const DEEPEST = 500;
const LONGEST_PATH = 200;

function findMisfit(value: unknown, path: string, parents: readonly unknown[]): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : misfit(String(value), path);
    case 'object':
      return value === null ? undefined : misfitIn(value, path, parents);
    case 'undefined':
    case 'bigint':
    case 'function':
    case 'symbol':
      return misfit(typeof value, path);
  }
}

function misfitIn(object: object, path: string, parents: readonly unknown[]): string | undefined {
  const isList = Array.isArray(object);
  const prototype: unknown = Object.getPrototypeOf(object);
  const isPlain = isList || prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isPlain) return misfit(classOf(object), path);
  if (parents.includes(object)) return misfit('cycle', path);
  if (parents.length >= DEEPEST) return `it is nested deeper than ${DEEPEST} levels`;
  const around = [...parents, object];
  // A hole of a list is a member too, which JSON would make null.
  for (const [name, member] of isList ? object.entries() : Object.entries(object)) {
    if (member === undefined && !isList) continue;
    const found = findMisfit(member, isList ? `${path}[${name}]` : `${path}.${name}`, around);
    if (found !== undefined) return found;
  }
  return undefined;
}

function classOf(object: object): string {
  const { constructor } = object as { constructor?: { name?: unknown } };
  return typeof constructor?.name === 'string' && constructor.name !== ''
    ? constructor.name
    : 'class instance';
}

function misfit(what: string, path: string): string {
  const shown = path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
  return `JSON does not hold the ${what} at \`${shown}\``;
}

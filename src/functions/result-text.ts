/** A serializer for results that JSON cannot represent, e.g. superjson. Its text should be JSON. */
export interface Serializer {
  /**
   * Returns the text to store. If it throws, the call rejects with an `UnserializableResultError`.
   *
   * @param value The result of the function.
   */
  readonly stringify: (value: unknown) => string;
  /**
   * Returns the result of a stored text.
   *
   * @param text The text that `stringify` returned.
   */
  readonly parse: (text: string) => unknown;
}

export type ResultText =
  /** Absent for `undefined`, the result of functions that return nothing. */
  | { readonly text?: string }
  /** Why the value cannot be stored, with its path from `$`. */
  | { readonly problem: string };

/**
 * Returns the text to store for a result; parsing it gives an equal value. `JSON.stringify` alone would
 * silently turn a Date into a string, a Map into `{}` and NaN into null, so a replay would differ from the
 * first result. Members that are `undefined` are left out.
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
    return { problem: 'it cannot be read' }; // the error is dropped: it may quote the payload
  }
  if (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes) {
    return { problem: `it is longer than the ${maxBytes} bytes that the store keeps` };
  }
  return { text };
}

/** Parses a stored result: a new value for each call, so that callers cannot change each other's. */
export function fromResultText(text: string | undefined, serializer: Serializer | undefined): unknown {
  if (text === undefined) return undefined;
  return serializer === undefined ? JSON.parse(text) : serializer.parse(text);
}

/** A nesting limit far below what overflows the stack, here or in `JSON.stringify`. */
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
  // JSON would turn a hole of an array into null.
  for (const [name, member] of isList ? object.entries() : Object.entries(object)) {
    if (member === undefined && !isList) continue;
    const found = findMisfit(member, isList ? `${path}[${name}]` : `${path}.${name}`, around);
    if (found !== undefined) return found;
  }
  // Such as a list of a class: JSON would keep something else, or nothing at all.
  const { toJSON } = object as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? misfit(classOf(object), path) : undefined;
}

function classOf(object: object): string {
  const { constructor } = object as { constructor?: { name?: unknown } };
  return typeof constructor?.name === 'string' && constructor.name !== ''
    ? constructor.name
    : 'class instance';
}

function misfit(what: string, path: string): string {
  const shown = path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
  return `JSON cannot represent the ${what} at \`${shown}\``;
}

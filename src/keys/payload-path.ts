import { ConfigurationError } from '../base/errors.ts';
import { hasToJson, isPlain } from './canonical-json.ts';
import { KeyError } from './errors.ts';
import { isObject } from '../base/is-object.ts';

/** A path into a payload: member names and array indexes, `*` for all of them. */
export type PayloadPath = readonly string[];

/** Reads `order.items.*.price`. Throws a `ConfigurationError` for an empty path or an empty part. */
export function parsePath(option: string, path: unknown): PayloadPath {
  const parts = typeof path === 'string' ? path.split('.') : [];
  if (parts.length === 0 || parts.includes('')) {
    throw new ConfigurationError(
      `Expected \`${option}\` to hold paths such as 'orderId' or 'order.items.*.price', got \`${String(path)}\``,
    );
  }
  return parts;
}

/** The value at a path without `*`. Throws a `KeyError` when it is missing, null or an empty string. */
export function valueAt(payload: unknown, path: PayloadPath): unknown {
  const value = findAt(payload, path);
  if (value === undefined) {
    throw new KeyError(
      `The payload has no value at \`${path.join('.')}\`, which is part of the key; records without it must not share one key`,
    );
  }
  return value;
}

/** The value at a path without `*`; undefined when it is missing, null or an empty string. */
export function findAt(payload: unknown, path: PayloadPath): unknown {
  let node = payload;
  for (const part of path) {
    node = hasMember(node, part) ? node[part] : undefined;
  }
  return node === null || node === '' ? undefined : node;
}

/** Members of the JSON text: nothing that is inherited, and not the `length` that arrays have of their own. */
function hasMember(node: unknown, name: string): node is Record<string, unknown> {
  return isObject(node) && Object.prototype.propertyIsEnumerable.call(node, name);
}

/** A copy of the payload without what the paths name. Paths that find nothing are ignored. */
export function withoutPaths(payload: unknown, paths: readonly PayloadPath[]): unknown {
  if (!isObject(payload) || paths.length === 0) return payload;
  if (hasToJson(payload)) {
    const json = payload.toJSON();
    return isObject(json) && hasToJson(json) ? json : withoutPaths(json, paths);
  }
  // A copy of its members would be plain, and be hashed without what is not in them; as it is, hashing refuses it.
  if (!Array.isArray(payload) && !isPlain(payload)) return payload;
  const entriesBelow = (name: string): PayloadPath[] =>
    paths.filter(([head]) => head === name || head === '*').map(([, ...rest]) => rest);

  if (Array.isArray(payload)) {
    const kept: unknown[] = [];
    payload.forEach((child, index) => {
      const below = entriesBelow(String(index));
      if (!below.some((rest) => rest.length === 0)) kept.push(withoutPaths(child, below));
    });
    return kept;
  }
  const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, child] of Object.entries(payload)) {
    const below = entriesBelow(name);
    // Object.create(null): `copy['__proto__'] = …` would otherwise be the prototype and leave the hash.
    if (!below.some((rest) => rest.length === 0)) copy[name] = withoutPaths(child, below);
  }
  return copy;
}

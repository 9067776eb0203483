import { ConfigurationError } from '../base/errors.ts';
import { hasToJson, isPlain } from './canonical-json.ts';
import { KeyError } from './errors.ts';
import { isObject } from '../base/is-object.ts';

/** A path into a payload: member names and array indexes, or `*` for all of them. */
export type PayloadPath = readonly string[];

/** Parses `order.items.*.price`. Throws a `ConfigurationError` for an empty path or an empty part. */
export function parsePath(option: string, path: unknown): PayloadPath {
  const parts = typeof path === 'string' ? path.split('.') : [];
  if (parts.length === 0 || parts.includes('')) {
    throw new ConfigurationError(
      `Expected \`${option}\` to hold paths such as 'orderId' or 'order.items.*.price', ` +
        `got \`${String(path)}\``,
    );
  }
  return parts;
}

/** Returns the value at a path without `*`. Throws a `KeyError` if it is missing, null or an empty string. */
export function valueAt(payload: unknown, path: PayloadPath): unknown {
  const value = findAt(payload, path);
  if (value === undefined) {
    throw new KeyError(
      `The payload has no value at \`${path.join('.')}\`, which is part of the key; ` +
        'records without it must not share a key',
    );
  }
  return value;
}

/** Returns the value at a path without `*`; undefined if it is missing, null or an empty string. */
export function findAt(payload: unknown, path: PayloadPath): unknown {
  let node = payload;
  for (const part of path) {
    node = hasMember(node, part) ? node[part] : undefined;
  }
  return node === null || node === '' ? undefined : node;
}

/** Matches only members of the JSON text: no inherited ones, and not the `length` of arrays. */
function hasMember(node: unknown, name: string): node is Record<string, unknown> {
  return isObject(node) && Object.prototype.propertyIsEnumerable.call(node, name);
}

/** Returns a copy of the payload without these paths. Paths that match nothing are ignored. */
export function withoutPaths(payload: unknown, paths: readonly PayloadPath[]): unknown {
  if (!isObject(payload) || paths.length === 0) return payload;
  if (hasToJson(payload)) {
    const json = payload.toJSON();
    return isObject(json) && hasToJson(json) ? json : withoutPaths(json, paths);
  }
  // Not copied: the copy would be a plain object, and hashing must refuse class instances.
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
    // On a plain `{}`, `copy['__proto__'] = …` would set the prototype and be missing from the hash.
    if (!below.some((rest) => rest.length === 0)) copy[name] = withoutPaths(child, below);
  }
  return copy;
}

import { isObject } from '../base/is-object.ts';
import { isPlain } from '../keys/canonical-json.ts';
import type { Parse } from '../messages/upgrade.ts';
import { parseNearby } from '../sources/exact-numbers.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads an upgraded body, with `Infinity` where it depends on a number that a double cannot hold, so that no
 * key is made of it. An upgrade could turn the `Infinity` of an exact reader into a text, and the schema
 * could refuse it.
 */
export function readExactly(readBy: (parse: Parse) => unknown): unknown {
  return inexactWhereDifferent(readBy(JSON.parse), readBy(parseNearby));
}

function inexactWhereDifferent(one: unknown, other: unknown): unknown {
  if (Object.is(one, other)) return one;
  if (!isObject(one) || !isObject(other)) return Infinity;
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    return one.map((item, index) => inexactWhereDifferent(item, other[index]));
  }
  if (isPlain(one) && isPlain(other)) return membersWhereDifferent(one as Members, other as Members);
  return JSON.stringify(one) === JSON.stringify(other) ? one : Infinity; // such as a `Date`
}

function membersWhereDifferent(one: Members, other: Members): unknown {
  const names = Object.keys(one);
  const areSame =
    names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name));
  if (!areSame) return Infinity;
  return Object.fromEntries(names.map((name) => [name, inexactWhereDifferent(one[name], other[name])]));
}

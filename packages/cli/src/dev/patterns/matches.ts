import { ConfigurationError } from '../../tool-base/errors.ts';
import { compilePattern, type Conjunction } from './compile-pattern.ts';
import { type FieldValue, flatten, type Membership, type PathValues } from './flatten.ts';

/**
 * Returns whether an EventBridge pattern, or a filter of Lambda's filter criteria, matches a value. As in
 * AWS's Event Ruler, every field of the pattern must match one of its values; a list matches if one of its
 * elements does; fields of objects in a list must match within one element. Throws a `ConfigurationError` for
 * a pattern that `checkPattern` refuses.
 */
export function matches(pattern: unknown, value: unknown): boolean {
  const { conjunctions, paths } = compiled(pattern);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const values = flatten(value, paths);
  return conjunctions.some((conjunction) => holds(conjunction, 0, values, new Map()));
}

/** Returns why AWS would refuse a pattern, such as `"state" must be an object or an array`. */
export function checkPattern(pattern: unknown): string | undefined {
  const result = compilePattern(pattern);
  return 'refused' in result ? result.refused : undefined;
}

interface Compiled {
  readonly conjunctions: readonly Conjunction[];
  readonly paths: ReadonlySet<string>;
}

const known = new WeakMap<object, Compiled>();

function compiled(pattern: unknown): Compiled {
  const key = typeof pattern === 'object' ? pattern : null;
  const found = key === null ? undefined : known.get(key);
  if (found !== undefined) return found;
  const result = compilePattern(pattern);
  if ('refused' in result) throw new ConfigurationError(`The event pattern is refused: ${result.refused}.`);
  const { conjunctions } = result;
  const made = { conjunctions, paths: new Set(conjunctions.flat().map(({ path }) => path)) };
  if (key !== null) known.set(key, made);
  return made;
}

/** Returns whether the fields from `index` on match within the elements that earlier fields have chosen. */
function holds(fields: Conjunction, index: number, values: PathValues, chosen: Membership): boolean {
  const field = fields[index];
  if (field === undefined) return true;
  const found = valuesWithin(values.get(field.path) ?? [], chosen);
  const open = found.flatMap(({ value, membership }) => {
    const both = together(chosen, membership);
    return both === undefined ? [] : [{ value, both }];
  });
  if (open.length === 0) return field.matchesAbsence && holds(fields, index + 1, values, chosen);
  const matching = open.filter(({ value }) => field.tests.some((test) => test(value)));
  // The rest depends only on the chosen elements, so each choice is tried once.
  const choices = new Map(matching.map(({ both }) => [[...both].join(';'), both]));
  return [...choices.values()].some((both) => holds(fields, index + 1, values, both));
}

/** The values of a field by the elements of the innermost list that all are in. */
interface ByElement {
  readonly list: number | undefined;
  readonly values: ReadonlyMap<number | undefined, readonly FieldValue[]>;
}

const elements = new WeakMap<readonly FieldValue[], ByElement>();

/** Leaves out values of other elements than the chosen one: a list may have thousands of objects. */
function valuesWithin(found: readonly FieldValue[], chosen: Membership): readonly FieldValue[] {
  if (chosen.size === 0) return found;
  let byElement = elements.get(found);
  if (byElement === undefined) elements.set(found, (byElement = byElementOf(found)));
  const element = byElement.list === undefined ? undefined : chosen.get(byElement.list);
  return element === undefined ? found : (byElement.values.get(element) ?? []);
}

function byElementOf(found: readonly FieldValue[]): ByElement {
  const lists = [...(found[0]?.membership.keys() ?? [])];
  const list = lists.findLast((one) => found.every(({ membership }) => membership.has(one)));
  const values = new Map<number | undefined, FieldValue[]>();
  for (const value of list === undefined ? [] : found) {
    const element = value.membership.get(list as number);
    const others = values.get(element);
    if (others === undefined) values.set(element, [value]);
    else others.push(value);
  }
  return { list, values };
}

/** Joins two choices of elements; undefined if they choose different elements of one list. */
function together(one: Membership, other: Membership): Membership | undefined {
  if (other.size === 0) return one;
  for (const [list, element] of other) {
    const chosen = one.get(list);
    if (chosen !== undefined && chosen !== element) return undefined;
  }
  return new Map([...one, ...other]);
}

import { ConfigurationError } from '../../tool-base/errors.ts';
import { compilePattern, type Conjunction } from './compile-pattern.ts';
import { flatten, type Membership, type PathValues } from './flatten.ts';

/**
 * Whether a pattern of EventBridge matches a value. Also what Lambda's filter criteria are.
 *
 * As AWS's Event Ruler has it: every field of the pattern has to match one of its values; a list in the value matches if one of
 * its elements does; fields of objects in a list have to match within one element. Throws a `ConfigurationError` where
 * `checkPattern` finds something.
 */
export function matches(pattern: unknown, value: unknown): boolean {
  const { conjunctions, paths } = compiled(pattern);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const values = flatten(value, paths);
  return conjunctions.some((conjunction) => holds(conjunction, 0, values, new Map()));
}

/** What AWS would refuse about a pattern, as a sentence's end such as `"state" must be an object or an array`; undefined if nothing. */
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

/** Whether all fields from this one on match, within the elements of lists that the earlier ones have chosen. */
function holds(fields: Conjunction, index: number, values: PathValues, chosen: Membership): boolean {
  const field = fields[index];
  if (field === undefined) return true;
  const found = values.get(field.path) ?? [];
  const open = found.flatMap(({ value, membership }) => {
    const both = together(chosen, membership);
    return both === undefined ? [] : [{ value, both }];
  });
  if (open.length === 0) return field.matchesAbsence && holds(fields, index + 1, values, chosen);
  const matching = open.filter(({ value }) => field.tests.some((test) => test(value)));
  // What follows depends on the elements chosen alone: each choice is tried once.
  const choices = new Map(matching.map(({ both }) => [[...both].join(';'), both]));
  return [...choices.values()].some((both) => holds(fields, index + 1, values, both));
}

/** Both choices of elements, or undefined where they choose different elements of one list. */
function together(one: Membership, other: Membership): Membership | undefined {
  if (other.size === 0) return one;
  for (const [list, element] of other) {
    const chosen = one.get(list);
    if (chosen !== undefined && chosen !== element) return undefined;
  }
  return new Map([...one, ...other]);
}

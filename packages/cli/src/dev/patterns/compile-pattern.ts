import { isReserved, matcher } from './operators.ts';
import { Refusal } from './refusal.ts';
import type { ValueTest } from './value-test.ts';

/** One field of a pattern: it matches if one of its tests does, or if it is absent where that is asked for. */
interface Field {
  /** Its steps joined by dots, as AWS joins them. */
  readonly path: string;
  readonly tests: readonly ValueTest[];
  readonly matchesAbsence: boolean;
}

/** Fields that all have to match, in the order in which AWS tries them: that of their paths. */
export type Conjunction = readonly Field[];

/** AWS's limit for what `$or` may multiply to. */
const MOST_COMBINATIONS = 1_000;
const DEEPEST = 100;

/** A pattern as a disjunction, its `$or` multiplied out; or why AWS would refuse it. */
export function compilePattern(
  pattern: unknown,
): { readonly conjunctions: readonly Conjunction[] } | { readonly refused: string } {
  try {
    if (!isObject(pattern)) throw new Refusal('it is no object of JSON');
    const conjunctions = alternativesOf(pattern, '', 0).map((fields) =>
      [...fields.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1)),
    );
    return { conjunctions };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message };
    throw error;
  }
}

type Fields = ReadonlyMap<string, Field>;

function alternativesOf(pattern: Readonly<Record<string, unknown>>, path: string, depth: number): Fields[] {
  if (depth > DEEPEST) throw new Refusal(`it is nested deeper than ${DEEPEST} levels`);
  const entries = Object.entries(pattern);
  if (entries.length === 0) throw new Refusal(`${quoted(path)} is an empty object`);
  let alternatives: Fields[] = [new Map()];
  for (const [name, value] of entries) {
    const further = path === '' ? name : `${path}.${name}`;
    const ofMember = isOr(name, value)
      ? value.flatMap((one) => alternativesOf(one, path, depth + 1))
      : ofField(further, value, depth);
    if (alternatives.length * ofMember.length > MOST_COMBINATIONS) {
      throw new Refusal(`its \`$or\` make more than ${MOST_COMBINATIONS} combinations`);
    }
    alternatives = alternatives.flatMap((left) => ofMember.map((right) => new Map([...left, ...right])));
  }
  return alternatives;
}

function ofField(path: string, value: unknown, depth: number): Fields[] {
  if (isObject(value)) return alternativesOf(value, path, depth + 1);
  if (!Array.isArray(value)) throw new Refusal(`${quoted(path)} must be an object or an array`);
  if (value.length === 0) throw new Refusal(`${quoted(path)} is an empty array`);
  const matchers = (value as readonly unknown[]).map((one) => matcher(one, quoted(path)));
  const tests = matchers.flatMap((one) => (one === 'absent' ? [] : [one]));
  return [new Map([[path, { path, tests, matchesAbsence: matchers.includes('absent') }]])];
}

/** `$or` is a field like any other unless it has two or more objects, none with the name of an operator. */
function isOr(name: string, value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  if (name !== '$or' || !Array.isArray(value) || value.length < 2) return false;
  return (value as readonly unknown[]).every((one) => isObject(one) && !Object.keys(one).some(isReserved));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function quoted(path: string): string {
  return path === '' ? 'it' : `"${path}"`;
}

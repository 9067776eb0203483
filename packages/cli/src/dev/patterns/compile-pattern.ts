import { isReserved, matcher } from './operators.ts';
import { Refusal } from './refusal.ts';
import type { ValueTest } from './value-test.ts';

/** A field of a pattern. It matches if one of its tests does, or if it is absent and `matchesAbsence`. */
interface Field {
  /** The steps joined by dots, as in AWS. */
  readonly path: string;
  readonly tests: readonly ValueTest[];
  readonly matchesAbsence: boolean;
}

/** Fields that all must match, sorted by path, the order in which AWS tries them. */
export type Conjunction = readonly Field[];

/** AWS's limit for the combinations of `$or`. */
const MOST_COMBINATIONS = 1_000;
const DEEPEST = 100;

/** Compiles a pattern to a disjunction, with `$or` multiplied out; or returns why AWS would refuse it. */
export function compilePattern(
  pattern: unknown,
): { readonly conjunctions: readonly Conjunction[] } | { readonly refused: string } {
  try {
    if (!isObject(pattern)) throw new Refusal('it is not a JSON object');
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

/** Returns whether `$or` is an operator: it has at least two objects, none with another operator's name. */
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

import { BlockList, isIP } from 'node:net';
import { Refusal } from './refusal.ts';
import type { ValueTest } from './value-test.ts';
import { wildcardTest } from './wildcard.ts';

/** Compiles the argument of an operator; `where` names the field in messages. */
type Operator = (argument: unknown, where: string) => ValueTest | 'absent';

const OPERATORS: Readonly<Record<string, Operator>> = {
  exactly: (argument, where) => equals(text(argument, 'exactly', where)),
  prefix: (argument, where) => ofText('prefix', argument, where, (value, prefix) => value.startsWith(prefix)),
  suffix: (argument, where) => ofText('suffix', argument, where, (value, suffix) => value.endsWith(suffix)),
  'equals-ignore-case': (argument, where) => {
    const wanted = text(argument, 'equals-ignore-case', where).toLowerCase();
    return (value) => typeof value === 'string' && value.toLowerCase() === wanted;
  },
  wildcard: (argument, where) => wildcardTest(text(argument, 'wildcard', where), where),
  numeric: numericTest,
  cidr: cidrTest,
  exists: (argument, where) => {
    if (typeof argument !== 'boolean') throw new Refusal(`\`exists\` of ${where} must be true or false`);
    return argument ? () => true : 'absent';
  },
  'anything-but': (argument, where) => {
    const tests = refusedBy(argument, where);
    return (value) => !tests.some((test) => test(value));
  },
};

/** Names that AWS reserves for future operators. */
const KEPT = new Set([
  'regex',
  'not-wildcard',
  'not-equals-ignore-case',
  'date-after',
  'date-on-or-after',
  'date-before',
  'date-on-or-before',
  'in-date-range',
  'ip-address-in-range',
  'ip-address-not-in-range',
]);

/** Returns whether a name is an operator's: `$or` with such a field is an ordinary field. */
export function isReserved(name: string): boolean {
  return Object.hasOwn(OPERATORS, name) || Object.hasOwn(COMPARISONS, name) || KEPT.has(name);
}

/** Compiles an entry of a field's list: a plain value, or an object with one operator. Throws a `Refusal`. */
export function matcher(entry: unknown, where: string): ValueTest | 'absent' {
  if (Array.isArray(entry)) throw new Refusal(`${where} has an array in its array`);
  if (typeof entry !== 'object' || entry === null) return equals(entry);
  const [first, ...more] = Object.entries(entry);
  if (first === undefined) throw new Refusal(`${where} has a match expression without an operator`);
  if (more.length > 0) throw new Refusal(`${where} has a match expression with more than one operator`);
  const [name, argument] = first;
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (operator === undefined) throw new Refusal(`${where} has the unknown operator \`${name}\``);
  return operator(argument, where);
}

function equals(wanted: unknown): ValueTest {
  return (value) => value === wanted;
}

/** Compiles `prefix` or `suffix`, which may ignore case. */
function ofText(
  name: string,
  argument: unknown,
  where: string,
  has: (value: string, part: string) => boolean,
): ValueTest {
  if (typeof argument !== 'object' || argument === null) {
    const part = text(argument, name, where);
    return (value) => typeof value === 'string' && has(value, part);
  }
  const [[inner, wanted] = ['', undefined], ...more] = Object.entries(argument);
  if (inner !== 'equals-ignore-case' || more.length > 0) {
    throw new Refusal(`\`${name}\` of ${where} must be a string, or \`equals-ignore-case\` with one`);
  }
  const part = text(wanted, inner, where).toLowerCase();
  return (value) => typeof value === 'string' && has(value.toLowerCase(), part);
}

/** Compiles the argument of `anything-but`: values of one type, or one operator over strings. */
function refusedBy(argument: unknown, where: string): ValueTest[] {
  if (typeof argument === 'object' && argument !== null && !Array.isArray(argument)) {
    const [[name, inner] = ['', undefined], ...more] = Object.entries(argument);
    if (!['prefix', 'suffix', 'equals-ignore-case', 'wildcard'].includes(name) || more.length > 0) {
      throw new Refusal(`\`anything-but\` of ${where} has the unsupported operator \`${name}\``);
    }
    return listOf(inner).map((one) => {
      if (one === '' && name !== 'equals-ignore-case') {
        throw new Refusal(`\`${name}\` in \`anything-but\` of ${where} is empty`);
      }
      return matcher({ [name]: one }, where) as ValueTest;
    });
  }
  const values = listOf(argument);
  const types = new Set(values.map((one) => typeof one));
  const [type] = types;
  if (types.size !== 1 || (type !== 'string' && type !== 'number')) {
    throw new Refusal(`\`anything-but\` of ${where} must have strings or numbers, and not both`);
  }
  return values.map(equals);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [value];
}

function text(argument: unknown, name: string, where: string): string {
  if (typeof argument !== 'string') throw new Refusal(`\`${name}\` of ${where} must be a string`);
  return argument;
}

type Comparison = (value: number, bound: number) => boolean;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

/** Compiles one comparison, or a lower and an upper bound. */
function numericTest(argument: unknown, where: string): ValueTest {
  const terms: readonly unknown[] = Array.isArray(argument) ? argument : [];
  const isRange = String(terms[0]).startsWith('>') && String(terms[2]).startsWith('<');
  if (terms.length !== 2 && !(terms.length === 4 && isRange)) {
    throw new Refusal(
      `\`numeric\` of ${where} must be one comparison such as [">", 0], or a range such as [">", 0, "<=", 5]`,
    );
  }
  const tests = [terms.slice(0, 2), terms.slice(2)]
    .filter((pair) => pair.length > 0)
    .map(([name, bound]) => {
      const holds =
        typeof name === 'string' && Object.hasOwn(COMPARISONS, name) ? COMPARISONS[name] : undefined;
      if (holds === undefined)
        throw new Refusal(`\`numeric\` of ${where} has the unknown operator \`${String(name)}\``);
      if (typeof bound !== 'number') throw new Refusal(`\`numeric\` of ${where} must compare with a number`);
      return (value: number): boolean => holds(value, bound);
    });
  if (terms.length === 4 && (terms[1] as number) >= (terms[3] as number)) {
    throw new Refusal(`\`numeric\` of ${where} has a lower bound that is not below the upper one`);
  }
  return (value) => typeof value === 'number' && tests.every((test) => test(value));
}

function cidrTest(argument: unknown, where: string): ValueTest {
  const [address = '', bits = '', ...more] = text(argument, 'cidr', where).split('/');
  const version = isIP(address);
  // A single address is a plain value.
  const isValid =
    version !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) < (version === 4 ? 32 : 128);
  if (!isValid)
    throw new Refusal(`\`cidr\` of ${where} must be an IP address, a slash and the number of its bits`);
  const range = new BlockList();
  const family = version === 4 ? 'ipv4' : 'ipv6';
  range.addSubnet(address, Number(bits), family);
  return (value) => typeof value === 'string' && isIP(value) === version && range.check(value, family);
}

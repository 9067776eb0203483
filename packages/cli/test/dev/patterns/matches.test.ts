import { describe, expect, it } from '@jest/globals';
import { checkPattern, matches } from '../../../src/dev/patterns/matches.ts';
import { processorMs } from '../../../../../test/support/processor-time.ts';

/** The event of AWS's guide, and fields of its other examples. */
const event = {
  version: '0',
  id: 'ddddd4-aaaa-7777-4444-345dd43cc333',
  'detail-type': 'EC2 Instance State-change Notification',
  source: 'aws.ec2',
  account: '012345679012',
  time: '2017-10-02T16:24:49Z',
  region: 'us-east-1',
  resources: ['arn:aws:ec2:us-east-1:123456789012:instance/i-000000aaaaaa00000'],
  detail: {
    'c-count': 5,
    'd-count': 3,
    'x-limit': 301.8,
    'source-ip': '10.0.0.33',
    'source-ip6': '2001:db8::12',
    'instance-id': 'i-000000aaaaaa00000',
    state: 'running',
    FileName: 'dir1/dir2/photo.PNG',
    empty: '',
    nothing: null,
    isOn: true,
    star: 'a*b\\c',
    list: [],
    nested: { deep: { value: 1 } },
  },
};

const detail = (pattern: unknown): unknown => ({ detail: pattern });

describe("AWS's own examples", () => {
  it.each<[string, unknown, boolean]>([
    ['and', { 'detail-type': [event['detail-type']], detail: { state: ['initializing', 'running'] } }, true],
    ['an intersection of lists', { resources: event.resources }, true],
    ['prefix', { time: [{ prefix: '2017-10-02' }] }, true],
    ['prefix ignoring case', { source: [{ prefix: { 'equals-ignore-case': 'AWS.' } }] }, true],
    ['suffix', detail({ FileName: [{ suffix: '.png' }] }), false],
    ['suffix ignoring case', detail({ FileName: [{ suffix: { 'equals-ignore-case': '.png' } }] }), true],
    [
      'equals-ignore-case',
      { 'detail-type': [{ 'equals-ignore-case': 'ec2 instance state-change notification' }] },
      true,
    ],
    ['anything-but', detail({ state: [{ 'anything-but': 'initializing' }] }), true],
    ['anything-but what it is', detail({ state: [{ 'anything-but': 'running' }] }), false],
    ['anything-but a number', detail({ 'x-limit': [{ 'anything-but': 123 }] }), true],
    ['anything-but a list', detail({ state: [{ 'anything-but': ['stopped', 'running'] }] }), false],
    ['anything-but numbers', detail({ 'x-limit': [{ 'anything-but': [100, 200, 300] }] }), true],
    ['anything-but a prefix', detail({ state: [{ 'anything-but': { prefix: 'init' } }] }), true],
    ['anything-but prefixes', detail({ state: [{ 'anything-but': { prefix: ['init', 'run'] } }] }), false],
    ['anything-but a suffix', detail({ FileName: [{ 'anything-but': { suffix: '.PNG' } }] }), false],
    [
      'anything-but ignoring case',
      detail({ state: [{ 'anything-but': { 'equals-ignore-case': ['RUNNING'] } }] }),
      false,
    ],
    ['anything-but a wildcard', detail({ FileName: [{ 'anything-but': { wildcard: '*/lib/*' } }] }), true],
    ['anything-but of what is absent', detail({ absent: [{ 'anything-but': 'x' }] }), false],
    [
      'numeric',
      detail({ 'c-count': [{ numeric: ['>', 0, '<=', 5] }], 'd-count': [{ numeric: ['<', 10] }] }),
      true,
    ],
    ['numeric equality', detail({ 'x-limit': [{ numeric: ['=', 3.018e2] }] }), true],
    ['numeric out of range', detail({ 'c-count': [{ numeric: ['>', 5] }] }), false],
    ['numeric on a text', detail({ state: [{ numeric: ['>', 0] }] }), false],
    ['cidr', detail({ 'source-ip': [{ cidr: '10.0.0.0/24' }] }), true],
    ['cidr elsewhere', detail({ 'source-ip': [{ cidr: '10.0.1.0/24' }] }), false],
    ['cidr of version 6', detail({ 'source-ip6': [{ cidr: '2001:db8::/32' }] }), true],
    ['cidr on no address', detail({ state: [{ cidr: '0.0.0.0/0' }] }), false],
    ['exists', detail({ 'c-count': [{ exists: true }] }), true],
    ['exists: false', detail({ 'c-count': [{ exists: false }] }), false],
    ['exists: false of what is absent', detail({ absent: [{ exists: false }] }), true],
    ['exists on what is no leaf', detail({ nested: [{ exists: true }] }), false],
    ['exists: false on what is no leaf', detail({ nested: [{ exists: false }] }), true],
    ['exists: false or a value', detail({ absent: [{ exists: false }, 'x'] }), true],
    ['null exists', detail({ nothing: [{ exists: true }] }), true],
    ['an empty list does not exist', detail({ list: [{ exists: true }] }), false],
    ['empty', detail({ empty: [''] }), true],
    ['null', detail({ nothing: [null] }), true],
    ['null is not the empty text', detail({ nothing: [''] }), false],
    ['a boolean', detail({ isOn: [true] }), true],
    ['a number', detail({ 'c-count': [5.0] }), true],
    ['a number is no text', detail({ 'c-count': ['5'] }), false],
    ['wildcard', detail({ FileName: [{ wildcard: 'dir1/*.PNG' }] }), true],
    ['several wildcards', detail({ FileName: [{ wildcard: '*dir2*o*' }] }), true],
    ['wildcards in another order', detail({ FileName: [{ wildcard: '*photo*dir*' }] }), false],
    ['wildcards that would overlap', detail({ state: [{ wildcard: 'runn*nning' }] }), false],
    ['an escaped asterisk', detail({ star: [{ wildcard: String.raw`a\*b\\*` }] }), true],
    ['fields under fields', detail({ nested: { deep: { value: [1] } } }), true],
    [
      '$or',
      {
        source: ['aws.ec2'],
        $or: [{ region: ['eu-west-1'] }, { detail: { 'c-count': [{ numeric: ['>=', 5] }] } }],
      },
      true,
    ],
    ['$or with nothing that matches', { $or: [{ region: ['eu-west-1'] }, { source: ['x'] }] }, false],
    [
      'two $or',
      {
        $or: [{ region: ['us-east-1'] }, { source: ['x'] }],
        detail: { $or: [{ state: ['x'] }, { 'c-count': [5] }] },
      },
      true,
    ],
    [
      '$or in $or',
      {
        $or: [
          { region: ['x'] },
          { source: ['aws.ec2'], $or: [{ id: ['x'] }, { account: ['012345679012'] }] },
        ],
      },
      true,
    ],
  ])('%s', (_name, pattern, expected) => {
    expect(checkPattern(pattern)).toBeUndefined();
    expect(matches(pattern, event)).toBe(expected);
  });
});

describe('Lists of objects', () => {
  const employees = {
    employees: [
      [
        { firstName: 'John', lastName: 'Doe' },
        { firstName: 'Anna', lastName: 'Smith', years: 5 },
      ],
      [{ firstName: 'Peter', lastName: 'Jones' }],
    ],
  };
  it.each<[string, unknown, boolean]>([
    ['match by one element', { firstName: ['Anna'] }, true],
    ['match by fields of one element', { firstName: ['Anna'], lastName: ['Smith'] }, true],
    ['do not match by fields of different elements', { firstName: ['Anna'], lastName: ['Jones'] }, false],
    [
      'have a field absent in the element that matched',
      { firstName: ['John'], age: [{ exists: false }] },
      true,
    ],
    ['have no field absent that any element has', { years: [{ exists: false }] }, false],
    [
      'are looked at in the order of paths, as by AWS',
      { lastName: ['Doe'], firstName: [{ exists: false }] },
      false,
    ],
  ])('%s', (_name, pattern, expected) => {
    expect(matches({ employees: pattern }, employees)).toBe(expected);
  });

  it('are matched in a time that does not multiply with their length', () => {
    const list = Array.from({ length: 200 }, () => 'x');
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const value = Object.fromEntries(names.map((name) => [name, list]));
    const pattern = Object.fromEntries(names.map((name) => [name, [name === 'f' ? 'y' : 'x']]));
    expect(matches(pattern, value)).toBe(false);
  });
});

describe('A pattern is refused, as by AWS,', () => {
  it.each<[string, unknown, string]>([
    ['that is no object', 'x', 'it is not a JSON object'],
    ['that is null', null, 'it is not a JSON object'],
    ['that is empty', {}, 'it is an empty object'],
    ['with a plain value', { a: 'x' }, '"a" must be an object or an array'],
    ['with an empty object', { a: { b: {} } }, '"a.b" is an empty object'],
    ['with an empty list', { a: [] }, '"a" is an empty array'],
    ['with a list in a list', { a: [['x']] }, '"a" has an array in its array'],
    ['with an unknown operator', { a: [{ contains: 'x' }] }, '"a" has the unknown operator `contains`'],
    ['with an inherited name', { a: [{ constructor: 'x' }] }, '"a" has the unknown operator `constructor`'],
    ['with two operators', { a: [{ prefix: 'x', suffix: 'y' }] }, 'more than one operator'],
    ['with no operator', { a: [{}] }, 'without an operator'],
    ['with a prefix that is no text', { a: [{ prefix: 1 }] }, '`prefix` of "a" must be a string'],
    ['with mixed types', { a: [{ 'anything-but': ['x', 1] }] }, 'and not both'],
    ['with anything-but nothing', { a: [{ 'anything-but': [] }] }, 'must have strings or numbers'],
    [
      'with anything-but an operator of numbers',
      { a: [{ 'anything-but': { numeric: ['>', 1] } }] },
      'unsupported operator',
    ],
    ['with an unknown comparison', { a: [{ numeric: ['!', 1] }] }, 'unknown operator `!`'],
    ['with a range of two lower bounds', { a: [{ numeric: ['>', 1, '>', 2] }] }, 'must be one comparison'],
    ['with an empty range', { a: [{ numeric: ['>', 5, '<', 1] }] }, 'not below the upper one'],
    ['with too many bits', { a: [{ cidr: '10.0.0.0/33' }] }, 'must be an IP address'],
    ['with a host name as address', { a: [{ cidr: 'localhost/8' }] }, 'must be an IP address'],
    ['with exists of a text', { a: [{ exists: 'true' }] }, 'must be true or false'],
    ['with two asterisks', { a: [{ wildcard: 'a**b' }] }, 'two asterisks'],
    ['with a lone backslash', { a: [{ wildcard: 'a\\b' }] }, 'backslash'],
    [
      'with too many combinations',
      Object.fromEntries(
        ['a', 'b', 'c'].map((one) => [
          one,
          { $or: Array.from({ length: 11 }, (_x, index) => ({ [`f${index}`]: ['x'] })) },
        ]),
      ),
      'more than 1000 combinations',
    ],
  ])('%s', (_name, pattern, message) => {
    expect(checkPattern(pattern)).toContain(message);
    expect(() => matches(pattern, {})).toThrow('The event pattern is refused');
  });

  it('that is nested without end', () => {
    const pattern: Record<string, unknown> = {};
    pattern['a'] = pattern;
    expect(checkPattern(pattern)).toContain('nested deeper');
  });
});

it('Objects in a long list are compared element by element, not each with each', () => {
  const items = Array.from({ length: 20_000 }, (_, index) => ({ a: 1, b: { c: index } }));
  const tookMs = processorMs(() => {
    expect(matches({ items: { a: [1], b: { c: [-1] } } }, { items })).toBe(false);
    expect(matches({ items: { a: [1], b: { c: [19_999] } } }, { items })).toBe(true);
    expect(matches({ o: { items: { a: [1], b: { c: [-1] } } } }, { o: [{ items }] })).toBe(false);
  });
  expect(tookMs).toBeLessThan(5_000); // each with each: more than a minute
});

it('Objects in lists within lists match within one element of each', () => {
  const pattern = { o: { kind: ['x'], items: { a: [1], b: [2] } } };
  const items = (...all: object[]) => ({ kind: 'x', items: all });
  expect(matches(pattern, { o: [items({ a: 1, b: 3 }, { a: 3, b: 2 }), items({ a: 1 }, { b: 2 })] })).toBe(
    false,
  );
  expect(matches(pattern, { o: [items({ a: 1, b: 3 }), items({ a: 3 }, { a: 1, b: 2 })] })).toBe(true);
  expect(matches(pattern, { o: [{ kind: 'y', items: [{ a: 1, b: 2 }] }, items({ a: 1 })] })).toBe(false);
  expect(matches(pattern, { o: [{ kind: 'x', items: { a: 1, b: 2 } }, items({ a: 1 })] })).toBe(true);
});

it('A field called $or is one, unless it has objects of fields', () => {
  expect(matches({ $or: ['x', 'y'] }, { $or: 'y' })).toBe(true);
  expect(matches({ $or: [{ prefix: 'x' }, { prefix: 'y' }] }, { $or: 'yes' })).toBe(true);
});

it('A value that is no object matches nothing', () => {
  for (const value of [null, 'x', 1, ['x'], undefined])
    expect(matches({ a: [{ exists: false }] }, value)).toBe(false);
});

it('Own names of the prototype are fields like any other', () => {
  expect(matches({ constructor: ['x'] }, JSON.parse('{"constructor":"x"}'))).toBe(true);
  expect(matches({ toString: [{ exists: true }] }, {})).toBe(false);
  expect(matches(JSON.parse('{"__proto__":["x"]}'), JSON.parse('{"__proto__":"x"}'))).toBe(true);
});

import { describe, expect, it } from '@jest/globals';
import { parseTemplate, plainMembersOf } from '../../src/template/parse-template.ts';

const parsed = (text: string) => parseTemplate({ file: 'template.yaml', text });

describe('a file that is no template', () => {
  it.each([
    ['text', 'hello', 'has no `Resources`'],
    ['nothing', '', 'has no `Resources`'],
    ['a list', '[1, 2]', 'has no `Resources`'],
    ['other YAML', 'services: { web: {} }', 'has no `Resources`'],
    ['resources that are none', 'Resources: [a]', 'are not a mapping'],
    ['YAML with a mistake', 'Resources:\n  A: {\n', 'line 3'],
    ['a tab', 'Resources:\n\tA: {}', 'line 2'],
    [
      'two documents',
      'Resources: {}\n---\nResources: {}\n',
      'template: it has several documents, the second from line 2 on.',
    ],
    ['deep nesting', `Resources: ${'['.repeat(5_000)}`, 'nested deeper than 200 levels'],
    [
      'deep nesting of lists in a line',
      `Resources:\n  ${'- '.repeat(5_000)}a`,
      'nested deeper than 200 levels',
    ],
    ['deep nesting of keys', `Resources: ${'{ ? '.repeat(5_000)}`, 'nested deeper than 200 levels'],
  ])('is one clear error: %s', (_what, text, why) => {
    expect(() => parsed(text)).toThrow(expect.objectContaining({ code: 'BATCHLATCH_CONFIGURATION' }));
    expect(() => parsed(text)).toThrow(why);
    expect(() => parsed(text)).toThrow(/^template\.yaml cannot be read as a template: [^\n]+\.$/);
  });

  it('may not make itself endless with aliases', () => {
    const lines = Array.from(
      { length: 12 },
      (_, i) => `  a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(', ')}]`,
    );
    const text = `Resources: {}\nMetadata:\n  a0: &a0 [1]\n${lines.join('\n')}\n`;
    expect(() => parsed(text)).toThrow('too large');
  });
});

it.each([
  ['!Ref A', { Ref: 'A' }],
  ['!Condition A', { Condition: 'A' }],
  ['!GetAtt A.Arn', { 'Fn::GetAtt': ['A', 'Arn'] }],
  ['!GetAtt A.Outputs.Arn', { 'Fn::GetAtt': ['A', 'Outputs.Arn'] }],
  ['!Sub "${A}-b"', { 'Fn::Sub': '${A}-b' }],
  ['{ <<: { a: 1 }, b: 2 }', { a: 1, b: 2 }],
  ['{ a: 1, <<: { a: 2, b: 2 } }', { a: 1, b: 2 }],
  ['{ <<: [{ a: 1 }, { a: 2, b: 2 }] }', { a: 1, b: 2 }],
])('a short form and a merge key are written out: %s', (text, plain) => {
  expect(parsed(`Resources: { X: ${text} }`).data['Resources']).toEqual({ X: plain });
});

it('the line of a path is that of its key, or of the nearest thing around it', () => {
  const { lineOf } = parsed('Resources:\n  A:\n    Type: x\n    Properties:\n      B: [1,\n        2]\n');
  expect(lineOf(['Resources', 'A', 'Properties', 'B'])).toBe(5);
  expect(lineOf(['Resources', 'A', 'Properties', 'B', 1])).toBe(6);
  expect(lineOf(['Resources', 'A', 'Properties', 'Missing', 'C'])).toBe(4);
  expect(lineOf(['Nothing'])).toBeUndefined();
});

it.each([[undefined], [null], ['text'], [[1]]])('what is no mapping has no members: %j', (plain) => {
  expect(plainMembersOf(plain)).toEqual({});
});

it('of a key that is set twice the last value counts, as in CloudFormation, and its line is told', () => {
  const { data, lineOf, repeated } = parsed(
    'Resources:\n  A: { Type: x }\n  B: &b { C: 1, C: 2 }\n  A: { Type: y }\n  D: *b\n',
  );
  expect(data['Resources']).toEqual({ A: { Type: 'y' }, B: { C: 2 }, D: { C: 2 } });
  expect(lineOf(['Resources', 'A', 'Type'])).toBe(4);
  expect(repeated).toEqual([
    { key: 'C', line: 3 },
    { key: 'A', line: 4 },
  ]);
});

it.each(['{ <<: { a: 1 }, <<: { b: 1 } }', '[{ a: 1 }, { a: 1 }]'])('no key is set twice in %s', (text) => {
  expect(parsed(`Resources: { X: ${text} }`).repeated).toEqual([]);
});

describe('brackets are read with any indentation, as by the AWS and SAM CLIs:', () => {
  it.each([
    ['of a mapping', 'A: {\n"a": 1,\n  b: [\n1,\n2 ]\n}', { A: { a: 1, b: [1, 2] } }],
    [
      'in a list',
      'A:\n    - [{\n    a: "}",\n  b: \'{ [\' # }\n  }]\n    - 3',
      { A: [[{ a: '}', b: '{ [' }], 3] },
    ],
    ['of two keys', 'A: [\n1\n]\n  B: {\n}\n  C: 1', { A: [1], B: {}, C: 1 }],
    ['after a text that ends in one', 'T: |\n    {\n  A: [\n1\n]', { T: '{\n', A: [1] }],
  ])('%s', (_what, text, resources) => {
    const { data, lineOf } = parsed(`Resources:\n  ${text}\n  Last: x\n`);
    expect(data['Resources']).toEqual({ ...resources, Last: 'x' });
    expect(lineOf(['Resources', 'Last'])).toBe(text.split('\n').length + 2);
  });

  it('but not deeper than others', () => {
    // Too deep only when each line is in the one before.
    const lines = Array.from({ length: 60 }, (_, index) => `k${index}: ${'['.repeat(150)}`);
    const deep = `Resources:\n   A: [\n${lines.join('\n')}${']'.repeat(9_001)}\n`;
    expect(() => parsed(deep)).toThrow('nested deeper than 200 levels');
  });

  it('but not where none closes them', () => {
    expect(() => parsed('Resources:\n  A: {\n  B: [1]\n')).toThrow('line 3, column 3');
  });
});

it.each([
  ['30', 30],
  ['-1', -1],
  ['1.5', 1.5],
  ['012345678901', '012345678901'],
  ['0x1F', '0x1F'],
  ['12345678901234567890', '12345678901234567890'],
  ['.inf', '.inf'],
  ['"30"', '30'],
  ['yes', true],
  ['Off', false],
  ['"yes"', 'yes'],
  ['n', 'n'],
  ['!Ref Yes', { Ref: 'Yes' }],
  ['!Ref 1', { Ref: '1' }],
  ['true', true],
])('%s is what CloudFormation makes of it', (text, value) => {
  expect(parsed(`Resources: { X: ${text} }`).data['Resources']).toEqual({ X: value });
});

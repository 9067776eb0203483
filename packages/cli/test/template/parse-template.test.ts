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
    ['a member twice', 'Resources:\n  A: { Type: x }\n  A: { Type: y }\n', 'line 3'],
    ['two documents', 'Resources: {}\n---\nResources: {}\n', 'multiple documents'],
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

import { describe, expect, it } from '@jest/globals';
import { markedRules } from '../../../lab/rules/marked-rules.ts';
import { mutated } from '../../../lab/rules/mutant.ts';

describe('a marked rule', () => {
  it.each([
    ['a condition', '// rule: r\nif (a && b) c();', 'a && b', ['a', 'b']],
    ['a branch of a condition', 'if (x) y();\n// rule: r\nelse if (a < 1) c();', 'a < 1', ['a', '1']],
    ['what is returned', 'f(() => {\n  // rule: r\n  return a ? b : c;\n});', 'a ? b : c', ['a', 'b', 'c']],
    ['what is thrown', '// rule: r\nthrow e;', 'e', []],
    [
      'a constant',
      '/** Says it. */\n// rule: r\nexport const a = max(1, b);',
      'max(1, b)',
      ['max', '1', 'b'],
    ],
    ['what is assigned', '// rule: r\nthis.a = b || c || d;', 'b || c || d', ['b', 'c', 'd']],
    ['an expression', '// rule: r\nvoid f(1);', 'void f(1)', []],
    ['a property', 'f({\n  // rule: r\n  a: b + 1,\n});', 'b + 1', ['b', '1']],
    ['a spread', 'f({\n  // rule: r\n  ...g(1),\n});', 'g(1)', ['g', '1']],
    ['a loop', '// rule: r\nfor (const a of b) c(a);', 'b', []],
    ['code below comments', '// rule: r\n// Because.\nif (a) b();', 'a', []],
  ])('is %s', (_what, text, value, parts) => {
    const [rule] = markedRules(text);
    const textOf = ({ start, end }: { start: number; end: number }): string => text.slice(start, end);
    expect(rule?.name).toBe('r');
    expect(rule?.value && textOf(rule.value)).toBe(value);
    expect(rule?.parts.map(textOf)).toEqual(parts);
  });

  it('has no value where it marks a statement that only goes elsewhere', () => {
    expect(markedRules('f(() => {\n  // rule: r\n  return;\n});')).toMatchObject([{ value: undefined }]);
  });

  it('is an error above no code', () => {
    expect(() => markedRules('a();\n// rule: r\n')).toThrow('The rule r marks no code (line 2)');
  });
});

describe('a mutant', () => {
  const text = '// rule: first\nif (a && b) c();\n// rule: second\nd();\n// rule: third\ne();\n';

  it('has other values and removed code where its rules are, and is else as before', () => {
    const changes = [
      { rule: 'second', removed: true },
      { rule: 'first', value: (it: string, [a]: readonly string[]) => `${a} || (${it})` },
    ] as const;
    expect(mutated(text, changes)).toBe(
      '// rule: first\nif (a || (a && b)) c();\n// rule: second\n\n// rule: third\ne();\n',
    );
  });

  it('cannot replace a value that is not there', () => {
    const changes = [{ rule: 'r', value: 'false' }];
    expect(() => mutated('f(() => {\n  // rule: r\n  return;\n});', changes)).toThrow('no value to replace');
  });
});

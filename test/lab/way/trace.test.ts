import { describe, expect, it } from '@jest/globals';
import { telling } from '../../../lab/way/trace.ts';

const CALL = '__enter("a.ts")';

describe('the traced source', () => {
  it.each([
    ['a function', 'function f() { return 1; }', `function f() {${CALL}; return 1; }`],
    ['a method', 'class A { m(a = 1) {} }', `class A { m(a = 1) {${CALL};} }`],
    ['a constructor', 'class A { constructor() { b(); } }', `class A { constructor() {${CALL}; b(); } }`],
    ['an accessor', 'const a = { get b() { return 1; } };', `const a = { get b() {${CALL}; return 1; } };`],
    ['an arrow function with a value', 'const f = (a) => a;', `const f = (a) => (${CALL},a);`],
    ['one that returns an object', 'const f = () => ({ a });', `const f = () => (${CALL},({ a }));`],
    ['one inside another', 'f(() => () => 1);', `f(() => (${CALL},() => (${CALL},1)));`],
  ])('tells of each call of %s', (_what, text, traced) => {
    expect(telling(text, 'a.ts')).toBe(traced);
  });

  it('leaves declarations without code as they are', () => {
    const text = 'declare function f(): void;\nabstract class A { abstract m(): void; }\n';
    expect(telling(text, 'a.ts')).toBe(text);
  });
});

import { describe, expect, it } from '@jest/globals';
import { PermanentError } from 'batchlatch';
import { toStoredError } from '../../src/claims/claim.ts';

describe('toStoredError', () => {
  it('keeps the name, the message and the code, and neither stack nor cause', () => {
    expect(toStoredError(new PermanentError('no such order', { cause: new Error('secret') }))).toEqual({
      name: 'PermanentError',
      message: 'no such order',
      code: 'BATCHLATCH_PERMANENT',
    });
    expect(toStoredError(Object.assign(new TypeError('x'), { code: 7 }))).toEqual({
      name: 'TypeError',
      message: 'x',
    });
  });

  it.each([
    ['a text', 'declined', 'declined'],
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['an object', { declined: true }, '[object Object]'],
    ['a symbol', Symbol('declined'), 'Symbol(declined)'],
    ['what cannot be shown', Object.create(null), 'a value that cannot be shown as text'],
  ])('accepts %s that was thrown', (_what, thrown, message) => {
    expect(toStoredError(thrown)).toEqual({ name: 'NonError', message });
  });

  it('accepts errors whose members are anything', () => {
    const odd = Object.assign(new Error('x'), { name: Symbol('odd'), message: undefined });
    expect(toStoredError(odd)).toEqual({ name: 'Symbol(odd)', message: 'undefined' });
  });

  it('bounds every part to what a row should hold', () => {
    const long = 'x'.repeat(10_000);
    const stored = toStoredError(Object.assign(new Error(long), { name: long, code: long }));
    for (const part of [stored.name, stored.message, stored.code]) {
      expect(part).toHaveLength(512);
      expect(part).toMatch(/^x+…$/);
    }
    expect(toStoredError(new Error('x'.repeat(512))).message).toBe('x'.repeat(512));
  });

  it('leaves no half of a surrogate pair, which UTF-8 cannot carry', () => {
    const cutInTheMiddle = `${'x'.repeat(510)}😀😀`;
    expect(toStoredError(new Error(cutInTheMiddle)).message).toBe(`${'x'.repeat(510)}\uFFFD…`);
    expect(toStoredError(new Error('a\uD800b\uDC00c😀')).message).toBe('a\uFFFDb\uFFFDc😀');
  });
});

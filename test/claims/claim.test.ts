import { describe, expect, it } from '@jest/globals';
import { PermanentError } from 'batchlatch';
import { toStoredError } from '../../src/claims/claim.ts';
import { keyHash } from '../../src/base/key-hash.ts';
import { processorMs } from '../support/processor-time.ts';

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
    [
      'an object that says why',
      { reason: 'no funds', errno: 7, isRetryable: false },
      '{"reason":"no funds","errno":7,"isRetryable":false}',
    ],
    [
      'an object with more than why',
      { status: 402, response: { body: 'secret' }, body: 'secret', card: '4242' },
      '{"status":402}',
    ],
    ['a body', { orderId: 'A', name: 'Anna', zipCode: '10115', email: 'a@example.com' }, '[object Object]'],
    ['an object with long texts', { reason: 'x'.repeat(10_000) }, `{"reason":"${'x'.repeat(200)}…"}`],
    ['an object whose toJSON tells more', { status: 1, toJSON: () => 'secret' }, '{"status":1}'],
    ['a list', ['a', 'b'], 'a,b'],
    ['a symbol', Symbol('declined'), 'Symbol(declined)'],
    ['what cannot be shown', Object.create(null), 'a value that cannot be shown as text'],
  ])('accepts %s that was thrown', (_what, thrown, message) => {
    expect(toStoredError(thrown)).toEqual({ name: 'NonError', message });
  });

  it('keeps the code of an object that was thrown, and hashes the key in what it says', () => {
    expect(toStoredError({ code: 'DECLINED', reason: 'of n#v1:A' }, 'n#v1:A')).toEqual({
      name: 'NonError',
      message: `{"code":"DECLINED","reason":"of ${keyHash('n#v1:A')}"}`,
      code: 'DECLINED',
    });
  });

  it('accepts objects whose members cannot be read', () => {
    const hostile = Object.defineProperty({}, 'code', {
      enumerable: true,
      get: () => {
        throw new Error('secret');
      },
    });
    expect(toStoredError(hostile)).toEqual({ name: 'NonError', message: 'a value that cannot be read' });
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

  it.each<[string, () => unknown]>([
    ['JSON.parse of a short text', () => JSON.parse('{"card": 4111}x')],
    ['JSON.parse of a text that starts wrongly', () => JSON.parse('card 4111')],
    ['JSON.parse of a long text', () => JSON.parse(`{"card": 4111 1111 ${'1'.repeat(100)}`)],
    ['JSON.parse of a text that says what its error says', () => JSON.parse('4111" is not valid JSON "4111')],
    ['JSON.parse of several lines', () => JSON.parse('{\n"card":\ncard4111\n}')],
    ['BigInt', () => BigInt('card 4111')],
    ['BigInt of a number', () => BigInt(4111.5)],
    ['RegExp', () => new RegExp(['card 4111('].join(''))],
    ['JSON.parse, as another Node words it', () => raise('Unexpected token 4 in JSON at position 4')],
    [
      'JSON.parse, with more before and behind',
      () => raise('x: Unexpected token \'c\', ..."card4111"... is not valid JSON!'),
    ],
  ])('keeps nothing of the text that could not be read by %s', (_what, read) => {
    const error = thrownBy(read) as Error;
    const wrapped = new TypeError(`cannot read the order (${String(error)})`);
    const padded = new Error(`${'#'.repeat(1_900)} ${error.message} ${'#'.repeat(1_900)}`);
    for (const thrown of [error, wrapped, padded, String(error)]) {
      const { message } = toStoredError(thrown);
      expect(message).not.toMatch(/411|token 4|card|'c'/);
      expect(message).not.toBe('');
    }
  });

  it('keeps what a parser says without quoting', () => {
    expect(toStoredError(thrownBy(() => JSON.parse('{"a":1')))).toEqual({
      name: 'SyntaxError',
      message: expect.stringMatching(/^Expected ',' or '}' after property value in JSON at position 6/),
    });
  });

  it('hashes the key that an error names, also where the message is cut in the middle of it', () => {
    const key = `shop#v1:${'4111'.repeat(100)}`;
    expect(toStoredError(new Error(`row ${key} is locked`), key).message).toBe(
      `row ${keyHash(key)} is locked`,
    );
    expect(toStoredError(new Error(`${'x'.repeat(500)}${key}`), key).message).not.toContain('4111');
  });

  it('takes no longer for a message made to be slow', () => {
    const slow = `${'Unexpected token "'.repeat(100_000)} is not valid JSON`;
    expect(processorMs(() => toStoredError(new Error(slow)))).toBeLessThan(1_000);
  });
});

function raise(message: string): never {
  throw new SyntaxError(message);
}

function thrownBy(read: () => unknown): unknown {
  try {
    return read();
  } catch (thrown) {
    return thrown;
  }
}

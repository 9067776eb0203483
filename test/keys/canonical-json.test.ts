import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { canonicalHash } from '../../src/keys/canonical-json.ts';

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('canonicalHash', () => {
  it.each([
    ['null', null, 'null'],
    ['a text', 'a"\\\u0001/é😀', '"a\\"\\\\\\u0001/é😀"'],
    [
      'numbers as JavaScript writes them',
      [333333333.3333333, 4.5, 2e-3, 1e-27, -0],
      '[333333333.3333333,4.5,0.002,1e-27,0]',
    ],
    ['a tree', { b: [1, { d: true, c: null }], a: {} }, '{"a":{},"b":[1,{"c":null,"d":true}]}'],
  ])('is the SHA-256 of canonical JSON: %s', (_what, value, canonical) => {
    expect(canonicalHash(value)).toBe(sha256(canonical));
  });

  it("sorts members by UTF-16 code units, as RFC 8785's example does", () => {
    const given = {
      '\u20AC': 'Euro Sign',
      '\r': 'Carriage Return',
      '\uFB33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\u{1F600}': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00F6': 'Latin Small Letter O With Diaeresis',
    };
    const values = [
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ];
    const nameOf = new Map(Object.entries(given).map(([name, value]) => [value, name]));
    const members = values.map((value) => `${JSON.stringify(nameOf.get(value))}:${JSON.stringify(value)}`);
    expect(canonicalHash(given)).toBe(sha256(`{${members.join(',')}}`));
  });

  it.each([
    ['undefined', undefined],
    ['a function', () => undefined],
    ['NaN', { total: Number.NaN }],
    ['Infinity', [Number.POSITIVE_INFINITY]],
    ['a BigInt', { total: 1n }],
    ['an integer beyond 2^53', { id: 2 ** 53 }],
  ])('refuses %s', (_what, value) => {
    expect(() => canonicalHash(value)).toThrow(expect.objectContaining({ code: 'BATCHLATCH_KEY' }));
  });
});

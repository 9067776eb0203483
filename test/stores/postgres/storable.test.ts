import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { keyOf, storableJson, storableText, storedKey } from '../../../src/stores/postgres/storable.ts';

describe('A key as PostgreSQL stores it', () => {
  it('is the key itself, but for what `text` cannot hold', () => {
    expect(storedKey('orders#4711 é 🎈')).toBe('orders#4711 é 🎈');
    expect(storedKey('a\0b\ud800c\\')).toBe('a\\0b\\ud800c\\\\');
  });

  it('leads back to the key, and two keys are stored as two', () => {
    const aKey = fc.string({
      unit: fc.constantFrom('a', '0', 'u', 'd', '8', '\\', '\0', '\ud800', '\udc00', '🎈'),
    });
    fc.assert(
      fc.property(aKey, (key) => {
        const stored = storedKey(key);
        expect(keyOf(stored)).toBe(key);
        expect(stored.isWellFormed() && !stored.includes('\0')).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has at most 2,600 bytes', () => {
    expect(storedKey('é'.repeat(1_300))).toHaveLength(1_300);
    expect(() => storedKey('é'.repeat(1_301))).toThrow('2602 bytes');
  });
});

describe('A text that is told to people', () => {
  it('is without what cannot be stored', () => {
    expect(storableText('a\0b\ud800')).toBe('a\u{fffd}b\u{fffd}');
    expect(JSON.parse(storableJson({ message: 'a\0b\ud800', code: 'X' }))).toEqual({
      message: 'a\u{fffd}b\u{fffd}',
      code: 'X',
    });
  });
});

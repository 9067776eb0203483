import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { typeOfKey } from 'batchlatch/operations';
import { TYPED, typedKey } from '../../src/messages/message-key.ts';

describe('typeOfKey', () => {
  it('reads the type out of any key with a type', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(text, text, (type, key) => {
        expect(typeOfKey(`orders#${TYPED}:${typedKey(type, key)}`)).toBe(type);
      }),
    );
  });

  it.each([
    'orders#v1:t1:OrderPlaced:o-1',
    'orders#t1:',
    't1:OrderPlaced:o-1',
    'orders',
    '#t1:OrderPlaced:o-1',
  ])('finds no type in %s', (key) => expect(typeOfKey(key)).toBeUndefined());
});

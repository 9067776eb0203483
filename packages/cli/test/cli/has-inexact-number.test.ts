import { describe, expect, it } from '@jest/globals';
import { hasInexactNumber } from '../../src/cli/lines/has-inexact-number.ts';

describe('hasInexactNumber', () => {
  it.each(['{"a":12345678901234567891}', '[1.00000000000000000001]', '1e999', '[1e-400]'])(
    'finds a number that JavaScript reads as another: %s',
    (json) => expect(hasInexactNumber(json)).toBe(true),
  );

  it.each(['{"a":1.50,"b":-0.0,"c":1e3,"d":100000}', '"12345678901234567891"', '["\\"",0.1,1E+2]', 'true'])(
    'leaves alone what comes back as it was: %s',
    (json) => expect(hasInexactNumber(json)).toBe(false),
  );
});

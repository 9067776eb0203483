import { describe, expect, it } from '@jest/globals';
import { readKeyHeader } from '../../src/http/idempotency-key-header.ts';

const UUID = '8e03978e-40d5-43dd-bc93-6894a57f9324';

describe('readKeyHeader', () => {
  it.each([
    ['a quoted string', [`"${UUID}"`], UUID],
    ['a bare token', [UUID], UUID],
    ['white space around it', [`  "${UUID}" `], UUID],
    ['escapes', ['"a\\"b\\\\c"'], 'a"b\\c'],
    ['a comma inside quotes', ['"a,b"'], 'a,b'],
    ['spaces inside quotes', ['"a b"'], 'a b'],
    ['parameters, which mean nothing', ['"a";v=1;b'], 'a'],
    ['characters that clients put into keys', ['order_1:2/3+4=.~|'], 'order_1:2/3+4=.~|'],
    ['the same value on two lines', ['a', '"a"'], 'a'],
    ['the same value joined by a proxy', ['a, "a",a'], 'a'],
    ['255 characters', ['k'.repeat(255)], 'k'.repeat(255)],
  ])('takes %s', (_what, values, key) => {
    expect(readKeyHeader(values)).toEqual({ kind: 'key', key });
  });

  it('misses what is not there', () => {
    expect(readKeyHeader([])).toEqual({ kind: 'missing' });
  });

  it.each([
    ['nothing', [''], /empty/],
    ['blanks', ['  '], /empty/],
    ['an empty string', ['""'], /empty/],
    ['an empty member', ['a,'], /empty/],
    ['256 characters', ['k'.repeat(256)], /longer than 255/],
    ['two values', ['a', 'b'], /several times/],
    ['two values joined by a proxy', ['"a", "b"'], /several times/],
    ['half a string', ['"a'], /neither/],
    ['words behind a string', ['"a" b'], /neither/],
    ['a space', ['a b'], /neither/],
    ['letters beyond ASCII', ['schlüssel'], /neither/],
    ['letters beyond ASCII in quotes', ['"schlüssel"'], /neither/],
    ['a control character', ['"a\u0001"'], /neither/],
    ['an escape of something else', ['"a\\n"'], /neither/],
  ])('refuses %s', (_what, values, reason) => {
    expect(readKeyHeader(values)).toEqual({ kind: 'malformed', reason: expect.stringMatching(reason) });
  });

  it('takes no time to speak of over long and ugly values', () => {
    const startedAt = performance.now();
    for (const ugly of [
      '"\\'.repeat(4_000),
      ','.repeat(8_000),
      '"a" '.repeat(2_000),
      `"${'\\"'.repeat(4_000)}`,
    ]) {
      expect(readKeyHeader([ugly]).kind).toBe('malformed');
    }
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});

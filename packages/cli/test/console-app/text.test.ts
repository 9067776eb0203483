import { describe, expect, it } from '@jest/globals';
import { laidOutJson } from '../../console-app/src/text/json-layout.ts';
import { counted, numberText } from '../../console-app/src/text/numbers.ts';
import { shown, shownBody } from '../../console-app/src/text/shown.ts';
import { countText, readText } from '../../console-app/src/text/words.ts';

describe('numberText', () => {
  it('keeps every digit of what no double holds', () => {
    expect(numberText('9007199254740993')).toBe('9,007,199,254,740,993');
    expect(numberText('-9007199254740993')).toBe('-9,007,199,254,740,993');
  });

  it('has a question mark for what is no number', () => {
    expect([Number.NaN, '1e3', '', '<b>'].map(numberText)).toEqual(['?', '?', '?', '?']);
  });

  it('counts one of a thing as one', () => {
    expect([0, 1, '1', 1_204].map((amount) => counted(amount, 'claim'))).toEqual([
      '0 claims',
      '1 claim',
      '1 claim',
      '1,204 claims',
    ]);
  });
});

describe('texts of others', () => {
  it('shows what cannot be seen, and what turns the direction of text', () => {
    expect(shown('a\u001B[31m\u202Eb\u0000')).toBe(String.raw`a\u001B[31m\u202Eb\u0000`);
  });

  it('keeps the lines and tabs of a body, and nothing else that cannot be seen', () => {
    expect(shownBody('one\n\ttwo\r\u2028')).toBe(`one\n\ttwo${String.raw`\u000D\u2028`}`);
  });

  it('shows what is no text at all', () => {
    expect(shown(17)).toBe('17');
  });
});

describe('laidOutJson', () => {
  it('lays JSON out and keeps the digits of its numbers', () => {
    expect(laidOutJson('{"a":[1,{}],"n":12345678901234567890,"t":"{,\\"","e":[]}')).toBe(
      [
        '{',
        '  "a": [',
        '    1,',
        '    {}',
        '  ],',
        '  "n": 12345678901234567890,',
        '  "t": "{,\\"",',
        '  "e": []',
        '}',
      ].join('\n'),
    );
  });

  it('leaves alone what is no object and no array', () => {
    expect(['17', '"text"', '{"a":', '', 'null'].map(laidOutJson)).toEqual(Array.from({ length: 5 }));
  });

  it('is not slow for what is nested deeply', () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    expect(laidOutJson(deep)?.length).toBeLessThan(1_000_000);
  });
});

describe('countText', () => {
  it('says how well a count is known', () => {
    expect(countText({ count: 3, kind: 'exact' })).toEqual({ value: '3', note: '' });
    expect(countText({ count: 1_000, kind: 'at-least' })).toEqual({ value: '1,000+', note: 'at least' });
    expect(countText({ count: 12_000, kind: 'estimate' })).toEqual({ value: '~12,000', note: 'estimate' });
    expect(countText({ count: null, kind: 'unknown' })).toEqual({ value: '–', note: 'not counted' });
    expect(countText({ count: 7, kind: 'as-of', asOf: '2026-01-10T12:00:00Z' }).note).toMatch(
      /^as of \d\d:00:00$/,
    );
  });
});

describe('readText', () => {
  it('says what was read and what that cost', () => {
    expect(readText({ readBy: 'index', rowsRead: 4, readUnits: 6 })).toBe(
      'Read 4 rows of the index (6 read units).',
    );
    expect(readText({ readBy: 'scan', rowsRead: 1 })).toBe('Read 1 row of the table.');
    expect(readText({ readBy: 'scan', rowsRead: 1, missingIndex: 'overdue' })).toBe(
      'Read 1 row of the table. The table has no index `overdue` to find them by.',
    );
    expect(readText({ readBy: 'scan', rowsRead: 3, newerRows: 2 })).toBe(
      'Read 3 rows of the table. Left out: 2 rows that only a newer version of batchlatch reads.',
    );
    expect(readText({ readBy: 'scan', rowsRead: 3, unreadableRows: 1 })).toBe(
      'Read 3 rows of the table. Left out: 1 row that is not a claim.',
    );
    expect(readText({ readBy: 'scan', rowsRead: 9, newerRows: 2, unreadableRows: 3 })).toBe(
      'Read 9 rows of the table. Left out: 2 rows that only a newer version of batchlatch reads, and 3 rows that are not claims.',
    );
  });
});

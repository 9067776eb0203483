import { describe, expect, it } from '@jest/globals';
import { lastChangeText, nextOfRow, rowsMeaning } from '../../console-app/src/text/row-words.ts';

const NOW = Date.parse('2026-01-10T12:00:00Z');
const HELD: ReadonlySet<string> = new Set(['a']);

describe('what happens next to a row of an outbox', () => {
  it.each([
    [{ state: 'parked', tries: 1 }, 'Waits for you to release or drop it.'],
    [
      { state: 'parked', tries: 1, group: 'a' },
      'Waits for you to release or drop it, and the later rows of its group wait with it.',
    ],
    [
      { state: 'waiting', tries: 0, group: 'a' },
      'Waits until the parked row of its group is released or dropped.',
    ],
    [{ state: 'waiting', tries: 0, group: 'b' }, 'Is sent by the relay as soon as it runs.'],
    [{ state: 'waiting', tries: 3 }, 'Is sent again by the relay, after it failed 3 times.'],
    [
      { state: 'dropped', tries: 1, changedAt: '2026-01-09T12:00:00Z' },
      'Is not sent, and is deleted on 23 January unless you release it.',
    ],
    [
      { state: 'dropped', tries: 1, changedAt: 'no time' },
      'Is not sent, and is deleted after 14 days unless you release it.',
    ],
  ] as const)('is one sentence: %j', (row, sentence) => {
    expect(nextOfRow(row, HELD, NOW)).toBe(sentence);
  });
});

describe('a change of rows', () => {
  it('says what it does to one row and to many', () => {
    expect(rowsMeaning('release', 1, 0)).toBe('1 row is sent by the relay, tries counted from 0.');
    expect(rowsMeaning('drop', 1, 1)).toBe(
      '1 row is not sent, and the later rows of its group go on. ' +
        'It is kept for 14 days and can be released in that time.',
    );
    expect(rowsMeaning('drop', 2, 2)).toMatch(
      /^2 rows are not sent, and the later rows of their groups go on\./,
    );
  });

  it('is told with who made it and why, as text', () => {
    const history = [{ at: null, operation: 'drop', operator: 'ann\u202E', reason: 'sent by hand' } as const];
    expect(lastChangeText({ history })).toBe(String.raw`Dropped by ann\u202E: sent by hand`);
    expect(lastChangeText({ history: [] })).toBeUndefined();
  });
});

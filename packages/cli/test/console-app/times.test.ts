import { describe, expect, it } from '@jest/globals';
import {
  between,
  durationText,
  relativeText,
  shortDuration,
  timePhrase,
  utcTime,
} from '../../console-app/src/text/times.ts';

const NOW = Date.parse('2026-01-10T12:00:00Z');

describe('durationText', () => {
  it.each([
    [0, '0 ms'],
    [480, '480 ms'],
    [1_250, '1.2 s'],
    [9_999, '9.9 s'],
    [12_300, '12 s'],
    [60_000, '1 min'],
    [200_000, '3 min 20 s'],
    [7_500_000, '2 h 5 min'],
    [443_000_000, '5 d 3 h'],
  ])('says %d ms as %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it('has a minus sign where clocks differ', () => {
    expect(durationText(-3_000)).toBe('−3 s');
  });

  it('does not pretend to know what is no number or lasts longer than any claim', () => {
    expect(durationText(Number.NaN)).toBe('?');
    expect(durationText(Number.POSITIVE_INFINITY)).toBe('?');
    expect(durationText('9007199254740993')).toBe('more than 100,000 d');
  });

  it('has one unit where space is short', () => {
    expect([7_500_000, 12_300, -7_500_000, Number.NaN].map(shortDuration)).toEqual([
      '2 h',
      '12 s',
      '−2 h',
      '?',
    ]);
  });
});

describe('relativeText', () => {
  it('tells what is past from what is to come', () => {
    expect(relativeText('2026-01-10T11:57:00Z', NOW)).toBe('3 min ago');
    expect(relativeText('2026-01-10T14:00:00Z', NOW)).toBe('in 2 h');
    expect(relativeText('2026-01-10T12:00:00.400Z', NOW)).toBe('now');
  });

  it('shows no tenths, which would flicker', () => {
    expect(relativeText('2026-01-10T11:59:55.650Z', NOW)).toBe('4 s ago');
  });

  it('says so where there is no time', () => {
    expect([undefined, null, '', 'yesterday'].map((at) => relativeText(at, NOW))).toEqual([
      '?',
      '?',
      '?',
      '?',
    ]);
  });
});

describe('between', () => {
  it('is negative where the end is before the begin', () => {
    expect(between('2026-01-10T12:00:03Z', '2026-01-10T12:00:00Z')).toBe(-3_000);
    expect(between('2026-01-10T12:00:03Z', undefined)).toBeUndefined();
  });
});

describe('timePhrase', () => {
  const at = (text: string): string => new Date(text).toISOString();
  const now = new Date('2026-11-26T12:00:00').getTime();

  it.each([
    ['2026-11-26T14:32:40', false, 'at 14:32'],
    ['2026-11-26T14:32:40', true, 'about 14:32'],
    ['2026-12-03T09:05:00', false, 'on 3 December'],
    ['2026-12-03T09:05:00', true, 'about 09:05 on 3 December'],
    ['2027-01-03T09:05:00', false, 'on 3 January 2027'],
  ])('says %s as the end of a sentence (an estimate: %s)', (time, isEstimate, phrase) => {
    expect(timePhrase(at(time), now, isEstimate)).toBe(phrase);
  });

  it('says nothing of what is no time', () => {
    expect(timePhrase('soon', now)).toBe('');
  });
});

describe('utcTime', () => {
  it('is the same moment in UTC, to the second', () => {
    expect(utcTime('2026-01-10T11:57:00.250Z')).toBe('2026-01-10 11:57:00 UTC');
    expect(utcTime('soon')).toBe('?');
  });
});

import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import width from 'string-width';
import type { ProcessIo } from '../../src/cli/process-io.ts';
import { screenOf, showsColors } from '../../src/cli/print/screen.ts';
import { type Column, tableLines } from '../../src/cli/print/table.ts';
import { duration, relativeTime } from '../../src/cli/print/times.ts';
import { isoTime } from '../../src/tool-base/iso-time.ts';
import { escapeControls, visibleJson, visibleJsonLines } from '../../src/text/escape-controls.ts';
import { processorMs } from '../../../../test/support/processor-time.ts';

const COLUMNS: readonly Column[] = [
  { heading: 'KEY', min: 12 },
  { heading: 'STATE' },
  { heading: 'ATTEMPT', isRight: true },
  { heading: 'ERROR', min: 10, isOptional: true },
];
const ROWS = [
  ['orders#0123456789abcdef0123456789', 'parked', '12', 'Declined: the card was declined by the bank'],
  ['漢字漢字漢字漢字漢字', '\u001B[33moverdue\u001B[39m', '1', ''],
];

describe('A table', () => {
  it('is as wide as its cells where there is room', () => {
    expect(tableLines(COLUMNS, ROWS)).toEqual([
      'KEY                                STATE    ATTEMPT  ERROR',
      'orders#0123456789abcdef0123456789  parked        12  Declined: the card was declined by the bank',
      expect.stringMatching(/^漢字漢字漢字漢字漢字 {15}.*overdue.* {8}1/),
    ]);
  });

  it('cuts the widest columns first', () => {
    expect(tableLines(COLUMNS, ROWS, 60)[1]).toBe(
      'orders#0123456789ab…  parked        12  Declined: the card …',
    );
  });

  it('leaves out what is optional where it is narrow', () => {
    expect(tableLines(COLUMNS, ROWS, 36)[0]).toBe('KEY                 STATE    ATTEMPT');
  });

  it.each([120, 80, 60, 40, 30, 20])('is never wider than %i characters', (columns) => {
    for (const line of tableLines(COLUMNS, ROWS, columns)) {
      expect(width(stripVTControlCharacters(line))).toBeLessThanOrEqual(columns);
    }
  });
});

describe('A table of 20,000 rows', () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => [
    `orders#v1:order-${index}`,
    '\u001B[31mparked\u001B[39m',
    '1',
    'Declined: the card was declined by the bank',
  ]);

  it.each([undefined, 60])('is laid out within seconds, at a width of %s', (columns) => {
    const tookMs = processorMs(() => expect(tableLines(COLUMNS, rows, columns)).toHaveLength(20_001));
    expect(tookMs).toBeLessThan(15_000);
  });

  it('keeps the end of the colour of a text that it cuts', () => {
    const [, line] = tableLines([{ heading: 'STATE', min: 4 }], [['\u001B[31mparked 漢字\u001B[39m']], 8);
    expect(line).toBe('\u001B[31mparked …\u001B[39m');
  });
});

describe('A text from elsewhere', () => {
  it.each([
    ['\u001B[2J\u0007', '\\u001B[2J\\u0007'],
    ['a\r\nb\t', 'a\\u000D\\u000Ab\\u0009'],
    ['\u202Egnp.exe', '\\u202Egnp.exe'],
    ['a\u200Bb\uFEFF', 'a\\u200Bb\\uFEFF'],
    ['\u009B31m', '\\u009B31m'],
    ['a\u2028b', 'a\\u2028b'],
    ['\u{E0041}', '\\uDB40\\uDC41'],
    ['\uD800', '\\uD800'],
    ['orders#o-1 é 漢字 👍', 'orders#o-1 é 漢字 👍'],
    ['::error::a ::warning::b', '\\u003A:error::a \\u003A:warning::b'],
    ['a##vso[task.setvariable]##[error]', 'a\\u0023#vso[task.setvariable]\\u0023#[error]'],
    ['AWS::SQS::Queue of [::1], ## heading', 'AWS::SQS::Queue of [::1], ## heading'],
  ])('%j is shown as %s', (text, shown) => {
    expect(escapeControls(text)).toBe(shown);
  });

  it('is the same in JSON once that is parsed', () => {
    const value = { key: 'a\u001B[2J\u202Eb\n\u{E0041}c', list: ['\u009B', '##vso[a]', '::error::'] };
    const json = visibleJson(value, 2);
    expect(JSON.parse(json)).toEqual(value);
    for (const unseen of ['\u001B', '\u009B', '\u202E', '\uDB40', '##']) expect(json).not.toContain(unseen);
  });

  it('comes in small parts where it is long: a string has at most 512 MB', () => {
    const claim = { key: '##vso[a] \u202E', ids: [], error: { name: '\u{E0041}\n', at: null } };
    const value = { claims: Array.from({ length: 10_000 }, () => claim), next: undefined, rowsRead: 7 };
    const parts = [...visibleJsonLines(value)];
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(200_000);
    expect(parts.join('')).toBe(`${visibleJson(value, 2)}\n`);
  });
});

describe('A time', () => {
  const NOW = Date.UTC(2026, 0, 10, 12);
  it.each([
    [NOW, 'now'],
    [NOW - 999, 'now'],
    [NOW - 12_000, '12 s ago'],
    [NOW - 3 * 60_000, '3 min ago'],
    [NOW - 47 * 3_600_000, '47 h ago'],
    [NOW - 5 * 86_400_000, '5 d ago'],
    [NOW + 90_000, 'in 1 min'],
    [Number.NaN, '?'],
    [1e300, '?'],
  ])('of %d is %s', (time, shown) => {
    expect(relativeTime(time, NOW)).toBe(shown);
  });

  it('that is none has no text', () => {
    expect([isoTime(Number.NaN), isoTime(1e300), isoTime(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(isoTime(NOW)).toBe('2026-01-10T12:00:00.000Z');
    expect([duration(480), duration(0), duration(Number.NaN)]).toEqual(['480 ms', '0 s', '?']);
  });
});

describe('Colors', () => {
  const terminal = { isTTY: true, write: () => {} };
  const pipe = { isTTY: false, write: () => {} };
  it.each([
    ['on a terminal', terminal, {}, true, true],
    ['not in a pipe', pipe, {}, true, false],
    ['not with --no-color', terminal, { FORCE_COLOR: '1' }, false, false],
    ['not with NO_COLOR', terminal, { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    ['with an empty NO_COLOR', terminal, { NO_COLOR: '' }, true, true],
    ['in a pipe with FORCE_COLOR', pipe, { FORCE_COLOR: '1' }, true, true],
    ['not with FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, true, false],
    ['not on a dumb terminal', terminal, { TERM: 'dumb' }, true, false],
  ] as const)('are shown %s', (_where, stream, env, color, shown) => {
    expect(showsColors(stream, env, { color })).toBe(shown);
  });

  it.each([
    [true, '\u001B[31mparked\u001B[39m\n'],
    [false, 'parked\n'],
  ])('of a note are shown where standard error is a terminal: %s', (isTTY, written) => {
    const notes: string[] = [];
    const stderr = { isTTY, write: (text: string) => notes.push(text) };
    const screen = screenOf({ stdout: terminal, stderr, env: {} } as unknown as ProcessIo, {});
    screen.note(screen.paint('red', 'parked'));
    expect(notes).toEqual([written]);
  });
});

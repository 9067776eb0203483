import { describe, expect, it } from '@jest/globals';
import { waterfallLayout } from '../../console-app/src/waterfall/waterfall-layout.ts';

const row = (keyHash: string, isAsked: boolean, from: number, until: number) => ({
  keyHash,
  recordId: 'm',
  attempt: 2,
  isAsked,
  spans: [
    { what: 'earlier', from: from - 60_000, until: from },
    { what: 'claim', from, until: from + 10 },
    { what: 'run', from: from + 10, until },
  ] as const,
});

describe('the layout of a waterfall', () => {
  it('draws all spans on one scale, but for earlier attempts', () => {
    const { lines, totalMs } = waterfallLayout({
      rows: [row('a', true, 1_000, 1_500), row('b', false, 1_100, 2_000)],
    });
    expect(totalMs).toBe(1_000);
    expect(lines.map(({ bars }) => bars.map(({ what, left, width }) => [what, left, width]))).toEqual([
      [
        ['claim', 0, 1],
        ['run', 1, 49],
      ],
      [
        ['claim', 10, 1],
        ['run', 11, 89],
      ],
    ]);
    expect(lines[0]?.text).toBe('claim 10 ms, run 490 ms');
  });

  it('always draws the attempt that was asked for', () => {
    const rows = Array.from({ length: 100 }, (_, index) =>
      row(String(index), index === 99, index, index + 50),
    );
    const { lines, leftOut } = waterfallLayout({ rows });
    expect([lines.length, leftOut, lines.at(-1)?.row.keyHash]).toEqual([40, 60, '99']);
  });
});

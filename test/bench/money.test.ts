import { describe, expect, test } from '@jest/globals';
import type { Figures } from '../../lab/bench/figures.ts';
import { moneyTable, moneyText } from '../../lab/bench/report/tables/money.ts';
import type { ContenderFigures } from '../../lab/bench/sections/cells.ts';
import { NOTHING } from './no-figures.ts';
import { spread } from './spread.ts';

const workload = { size: 10, handlerMs: 0, mix: 'first' } as const;

describe("the manager's table", () => {
  const figures: Figures = {
    ...NOTHING,
    comparison: [
      {
        workload,
        rounds: 1,
        batchesPerRound: 1,
        contenders: { batchlatch: speed(5, 100), powertools: speed(20, 1_500), middy: speed(0.1, 10) },
      },
    ],
    capacity: [
      { contender: 'batchlatch', workload, writeUnits: 2, readUnits: 0, rowBytes: 258 },
      { contender: 'powertools', workload, writeUnits: 2, readUnits: 0, rowBytes: 94 },
    ],
  };

  test('has a row for each contender whose speed and units were measured', () => {
    const rows = moneyTable(figures)
      .split('\n')
      .slice(2)
      .map((row) => row.split(' | '));
    expect(rows.map(([, contender]) => contender)).toEqual(['batchlatch', 'Powertools']);
    expect(rows[0]?.[2]).toBe('$1.250');
  });

  test('is followed by what differs', () => {
    expect(moneyText(figures)).toMatch(/writes are 9\d[.\d]* % of batchlatch's bill/);
    expect(moneyText(NOTHING)).toBe('');
  });

  test('names the cold starts over TLS on the newest Node that was measured', () => {
    const start = { startMs: spread(200), timesLess: undefined };
    const lambdaStart = ([22, 24] as const).flatMap((node) =>
      (['http', 'https'] as const).flatMap((protocol) =>
        (['batchlatch', 'powertools'] as const).map((name) => ({ ...start, node, protocol, name })),
      ),
    );
    expect(moneyText({ ...figures, lambdaStart })).toContain('on Node 24 over https');
  });
});

function speed(p50: number, cpuMicros: number): ContenderFigures {
  return {
    requestsPerRecord: 1,
    cpuMicros: spread(cpuMicros),
    recordsPerSecondPerCore: 1,
    wallMs: { p50, p99: p50, batches: 1 },
    timesLess: { requests: 1, cpu: spread(1), wall: spread(1) },
  };
}

import { describe, expect, test } from '@jest/globals';
import type { ContenderName } from '../../lab/bench/contenders/index.ts';
import type { Figures } from '../../lab/bench/figures.ts';
import { storeTargetsOf } from '../../lab/bench/report/store-targets.ts';
import { storesTable } from '../../lab/bench/report/tables/stores.ts';
import type { Cell, ContenderFigures } from '../../lab/bench/sections/cells.ts';
import { NOTHING } from './no-figures.ts';
import { spread } from './spread.ts';

describe('the targets of the stores', () => {
  test('are those of the servers that the run had', () => {
    expect(storeTargetsOf(NOTHING)).toEqual([]);
    const figures = run(
      cell(100, { 'batchlatch-redis': {}, 'powertools-redis': {}, 'batchlatch-memory': {} }),
    );
    expect(Object.keys(reached(figures))).toEqual([
      'Redis: commands for a batch of 100',
      'Redis: client CPU per record, batches of 100',
      'Redis: wall time of a batch of 100',
    ]);
  });

  test('ask for two statements a batch, a fifth of the CPU and a third of the time at most', () => {
    const onPostgres = (own: Measured): Figures =>
      run(cell(100, { 'batchlatch-postgres': own, 'by-hand-postgres': {} }));
    expect(Object.values(reached(onPostgres({ sent: 2, cpu: 5, wall: 3.01 })))).toEqual([true, true, true]);
    expect(Object.values(reached(onPostgres({ sent: 3, cpu: 4.9, wall: 2.9 })))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test.each([
    ['postgres', 'by-hand-postgres', 1_000, 2],
    ['redis', 'powertools-redis', 100, 2],
    ['redis', 'powertools-redis', 1_000, 4],
  ] as const)('let %s (beside %s) be sent for batches of %i at most %i', (server, other, size, most) => {
    const isReached = (sent: number): boolean | undefined =>
      Object.values(reached(run(cell(size, { [`batchlatch-${server}`]: { sent }, [other]: {} }))))[0];
    expect([isReached(most), isReached(most + 1)]).toEqual([true, false]);
  });

  test.each([
    ['postgres', 'by-hand-postgres', { 10: 2, 100: 5, 1_000: 8 }],
    ['redis', 'powertools-redis', { 10: 3, 100: 5, 1_000: 6 }],
  ] as const)('ask on %s for less CPU in larger batches', (server, other, least) => {
    for (const [size, less] of Object.entries(least)) {
      const isReached = (cpu: number): boolean | undefined =>
        Object.values(
          reached(run(cell(Number(size), { [`batchlatch-${server}`]: { cpu }, [other]: {} }))),
        )[1];
      expect([size, isReached(less), isReached(less - 0.1)]).toEqual([size, true, false]);
    }
  });

  test('that were missed say why, with the profile of that store and size', () => {
    const figures: Figures = {
      ...NOTHING,
      stores: {
        cells: [
          cell(100, {
            'batchlatch-memory': {},
            'batchlatch-redis': { cpu: 2, wall: 1 },
            'powertools-redis': { micros: 80 },
            'floor-redis': { micros: 10 },
          }),
        ],
        profiles: [
          profile('batchlatch-redis', 10, { batchlatch: 1 }),
          profile('powertools-redis', 100, { Powertools: 2 }),
          profile('batchlatch-redis', 100, { 'Redis client': 30, batchlatch: 10 }),
        ],
        servers: [],
      },
    };
    const [, cpu, wall] = storeTargetsOf(figures);
    expect(cpu?.reason).toContain(
      'in memory, where nothing is sent, a record takes 20 µs, 4× less than the 80 µs',
    );
    expect(cpu?.reason).toContain(
      'two bare commands for a batch and nothing around them it takes 10 µs, 8× less than the 80 µs',
    );
    expect(cpu?.reason).toContain('a record takes 40 µs: Redis client 30 µs (75 %), batchlatch 10 µs');
    expect(wall?.reason).toContain(
      'Of 5 ms the client computes for 2 ms; the rest is the server. Two bare commands with nothing around them take 5 ms. In the profile',
    );
  });
});

describe('the table of the stores', () => {
  test('has what is sent for a batch, and compares with who takes each record by itself on the same server', () => {
    const figures = run(
      cell(100, {
        'by-hand-postgres': { sent: 200, cpu: 1, wall: 1 },
        'batchlatch-postgres': { sent: 2, cpu: 6, wall: 4 },
        batchlatch: { sent: 8 },
      }),
    );
    const rows = storesTable(figures).split('\n').slice(2);
    expect(rows.map((row) => row.split(' | ').slice(2, 4))).toEqual([
      ['batchlatch, DynamoDB', '8'],
      ['batchlatch, PostgreSQL', '2'],
      ['by hand, PostgreSQL', '200'],
    ]);
    expect(rows[1]).toContain('**6×**');
    expect(rows[0]).toContain('| – |');
  });
});

interface Measured {
  readonly sent?: number;
  readonly cpu?: number;
  readonly wall?: number;
  readonly micros?: number;
}

function run(...cells: Cell[]): Figures {
  return { ...NOTHING, stores: { cells, profiles: [], servers: [] } };
}

function cell(size: number, contenders: Partial<Record<ContenderName, Measured>>): Cell {
  const figures = Object.entries(contenders).map(([name, { sent = 2, cpu = 10, wall = 4, micros = 20 }]) => {
    const own: ContenderFigures = {
      requestsPerRecord: sent / size,
      cpuMicros: spread(micros),
      recordsPerSecondPerCore: 50_000,
      wallMs: { p50: 5, p99: 9, batches: 10 },
      timesLess: { requests: 10, cpu: spread(cpu), wall: spread(wall) },
    };
    return [name, own] as const;
  });
  return {
    workload: { size, handlerMs: 0, mix: 'first' },
    rounds: 1,
    batchesPerRound: 1,
    contenders: Object.fromEntries(figures),
  };
}

/** Whether each was reached, by name. */
function reached(figures: Figures): Record<string, boolean> {
  return Object.fromEntries(storeTargetsOf(figures).map(({ figure, isReached }) => [figure, isReached]));
}

function profile(
  contender: ContenderName,
  size: number,
  groups: Readonly<Record<string, number>>,
): Figures['profiles'][number] {
  return { contender, workload: { size, mix: 'first', handlerMs: 0 }, records: 10, groups, functions: [] };
}

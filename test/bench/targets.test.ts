import { describe, expect, test } from '@jest/globals';
import type { Figures } from '../../lab/bench/figures.ts';
import type { Target } from '../../lab/bench/report/target.ts';
import { targetsOf } from '../../lab/bench/report/targets.ts';
import type { Cell, ContenderFigures } from '../../lab/bench/sections/cells.ts';
import type { ColdStartFigures } from '../../lab/bench/sections/cold-start.ts';
import type { Workload } from '../../lab/bench/workload.ts';
import { NOTHING } from './no-figures.ts';
import { spread } from './spread.ts';

describe('the targets of a run', () => {
  test('are those that it has figures for', () => {
    expect(targetsOf(NOTHING)).toEqual([]);
    expect(measured({ comparison: [cell({ size: 100 }, {})] })).toEqual({});
  });

  test('ask for ten times less CPU in batches of 10, and for fourteen times in batches of 1,000', () => {
    expect(measured({ comparison: [cell({ size: 10 }, { cpu: 10 })] })).toMatchObject({
      'client CPU per record, batches of 10': true,
    });
    expect(
      measured({ comparison: [cell({ size: 10 }, { cpu: 9.9 }), cell({ size: 1_000 }, { cpu: 13.9 })] }),
    ).toMatchObject({
      'client CPU per record, batches of 10': false,
      'client CPU per record, batches of 1,000': false,
    });
  });

  test('ask for eight times less CPU with duplicates and with failures', () => {
    const comparison = [
      cell({ size: 10, mix: 'duplicates' }, { cpu: 8 }),
      cell({ size: 10, mix: 'failures' }, { cpu: 7.9 }),
    ];
    expect(measured({ comparison })).toMatchObject({
      'client CPU per record, batches of 10, 10 % duplicates': true,
      'client CPU per record, batches of 10, 10 % failures': false,
    });
  });

  test('ask for a third and a quarter of the wall time', () => {
    const comparison = [cell({ size: 10 }, { wall: 3 }), cell({ size: 1_000 }, { wall: 3.9 })];
    expect(measured({ comparison })).toMatchObject({
      'wall time of a batch of 10': true,
      'wall time of a batch of 1,000': false,
    });
  });

  test('ask for the same over TLS, and have a reason where it is missed', () => {
    const overTls = (less: { readonly cpu: number; readonly wall: number }): Cell[] => [
      {
        ...cell({ size: 10 }, {}),
        contenders: { 'batchlatch-tls': figures(less), 'floor-tls': figures(less) },
      },
    ];
    const [cpu, wall] = [
      'client CPU per record over TLS, batches of 10',
      'wall time of a batch of 10 over TLS',
    ];
    expect(measured({ overTls: overTls({ cpu: 10, wall: 3 }) })).toEqual({ [cpu]: true, [wall]: true });
    const missed = targetsOf({ ...NOTHING, overTls: overTls({ cpu: 9.9, wall: 2.9 }) });
    expect(missed).toMatchObject([
      { figure: cpu, isReached: false, reason: expect.stringContaining('The bare requests alone') },
      { figure: wall, isReached: false, reason: expect.stringContaining('The bare requests alone') },
    ]);
  });

  test('ask for 30 % of the start, 37 % of the load, and a bundle of 120 KB', () => {
    const start = 'load and first answer of a function in a new process, everything in the bundle';
    const bundle = 'the whole bundle of that function, dependencies included';
    const load = 'load of a function in a new process, everything in the bundle';
    expect(measured({ coldStart: [coldStart(1 / 0.3, 1 / 0.37, 120 * 1_024)] })).toEqual({
      [start]: true,
      [load]: true,
      [bundle]: true,
    });
    expect(measured({ coldStart: [coldStart(1 / 0.31, 1 / 0.38, 121 * 1_024)] })).toEqual({
      [start]: false,
      [load]: false,
      [bundle]: false,
    });
  });

  test('that were missed say why, with the numbers of the profile of that cell', () => {
    const [, missed] = targetsOf({
      ...NOTHING,
      comparison: [cell({ size: 10, mix: 'failures' }, { cpu: 3 }), cell({ size: 10 }, { cpu: 12 })],
      profiles: [
        profile({ size: 10, mix: 'first' }, { 'AWS SDK': 1 }),
        profile({ size: 10, mix: 'failures' }, { batchlatch: 30, 'garbage collection': 10 }),
      ],
    }).filter(({ figure }) => figure.startsWith('client CPU'));
    expect(missed?.reason).toContain('a record takes 40 µs: batchlatch 30 µs (75 %), garbage collection');
  });

  test('that routes missed say of which figures theirs is the difference', () => {
    const of = (micros: number): ContenderFigures => ({ ...figures({}), cpuMicros: spread(micros) });
    const [missed] = targetsOf({
      ...NOTHING,
      routes: [
        {
          ...cell({ size: 1_000 }, {}),
          contenders: { 'batchlatch-memory-schema': of(20), 'batchlatch-memory-routes': of(22) },
        },
      ],
    });
    expect(missed?.reason).toContain('22 (22–22) µs with routes and 20 (20–20) µs without');
  });

  test('that were reached need no reason', () => {
    const targets = targetsOf({ ...NOTHING, comparison: [cell({ size: 10 }, { cpu: 12, wall: 3 })] });
    expect(targets.length).toBeGreaterThan(2);
    expect(targets.filter(({ reason }) => reason !== undefined)).toEqual([]);
  });
});

/** Whether each was reached, by name. */
function measured(figures: Partial<Figures>): Record<string, boolean> {
  const targets: Target[] = targetsOf({ ...NOTHING, ...figures });
  return Object.fromEntries(targets.map(({ figure, isReached }) => [figure, isReached]));
}

function cell(
  workload: Partial<Workload> & Pick<Workload, 'size'>,
  less: { readonly cpu?: number; readonly wall?: number },
): Cell {
  return {
    workload: { handlerMs: 0, mix: 'first', ...workload },
    rounds: 1,
    batchesPerRound: 1,
    contenders: { batchlatch: figures(less) },
  };
}

function figures({
  cpu = 10,
  wall = 3,
}: {
  readonly cpu?: number;
  readonly wall?: number;
}): ContenderFigures {
  return {
    requestsPerRecord: 0.2,
    cpuMicros: spread(100),
    recordsPerSecondPerCore: 10_000,
    wallMs: { p50: 5, p99: 9, batches: 10 },
    timesLess: { requests: 10, cpu: spread(cpu), wall: spread(wall) },
  };
}

function coldStart(total: number, load: number, bytes: number): ColdStartFigures {
  return {
    library: 'batchlatch',
    bundle: 'whole',
    protocol: 'http',
    isAfterInit: false,
    bytes,
    gzipBytes: bytes / 3,
    packages: [{ name: 'batchlatch', bytes }],
    loadMs: spread(20),
    firstBatchMs: spread(20),
    cpuMs: spread(100),
    timesLess: { bytes: 3, load: spread(load), total: spread(total) },
  };
}

function profile(
  { size, mix }: Pick<Workload, 'size' | 'mix'>,
  groups: Readonly<Record<string, number>>,
): Figures['profiles'][number] {
  return {
    contender: 'batchlatch',
    workload: { size, mix, handlerMs: 0 },
    records: 10,
    groups,
    functions: [],
  };
}

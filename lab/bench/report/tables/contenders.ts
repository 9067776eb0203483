import type { ContenderName } from '../../contenders/index.ts';
import type { Cell } from '../../sections/cells.ts';
import { isMain } from '../../compared.ts';
import { number, spread, table, timesSpread } from '../format.ts';
import { MIX_TITLES, TITLES } from '../lookup.ts';

/** The cells in which everybody takes part, with a row for each. */
export function mainTable(cells: readonly Cell[]): string {
  return contendersTable(cells.filter(({ workload }) => isMain(workload)));
}

/** A row for each contender of each cell. */
export function contendersTable(cells: readonly Cell[]): string {
  const rows = cells.flatMap(({ workload, contenders }) =>
    Object.entries(contenders).map(([name, own]) => [
      `${number(workload.size)}, ${workload.handlerMs} ms`,
      MIX_TITLES[workload.mix],
      TITLES[name as ContenderName],
      number(own.requestsPerRecord),
      spread(own.cpuMicros),
      number(own.cpuMicros.mean),
      timesSpread(own.timesLess.cpu),
      `${number(own.wallMs.p50)} / ${number(own.wallMs.p99)}`,
      timesSpread(own.timesLess.wall),
    ]),
  );
  return table(
    [
      'batch, handler',
      'records',
      '',
      'requests per record',
      'CPU, µs per record',
      'mean',
      'less CPU',
      'wall p50 / p99, ms',
      'less wall time',
    ],
    rows,
    3,
  );
}

export function memoryStoreTable(cells: readonly Cell[]): string {
  const rows = cells.flatMap(({ workload, contenders }) =>
    Object.entries(contenders).map(([name, own]) => [
      number(workload.size),
      workload.groups === undefined ? 'standard' : `FIFO, ${workload.groups} groups`,
      TITLES[name as ContenderName],
      number((own.wallMs.p50 * 1_000) / workload.size),
      spread(own.cpuMicros),
      timesSpread(own.timesLess.wall),
    ]),
  );
  return table(
    ['batch', 'queue', '', 'wall, µs per record', 'CPU, µs per record', 'less wall time than Powertools'],
    rows,
    3,
  );
}

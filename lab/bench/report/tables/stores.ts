import { perRecordOn, STORES } from '../../compared.ts';
import type { Figures } from '../../figures.ts';
import { number, spread, table, timesSpread } from '../format.ts';
import { MIX_TITLES, storeTitle } from '../lookup.ts';

/** A row for each store of each cell, and for who takes each record by itself on the same server. */
export function storesTable({ stores }: Pick<Figures, 'stores'>): string {
  const rows = stores.cells.flatMap(({ workload, contenders }) =>
    STORES.flatMap((name) => {
      const own = contenders[name];
      if (own === undefined) return [];
      const isCompared = perRecordOn(name) !== name;
      return [
        [
          number(workload.size),
          MIX_TITLES[workload.mix],
          storeTitle(name),
          number(own.requestsPerRecord * workload.size),
          spread(own.cpuMicros),
          isCompared ? timesSpread(own.timesLess.cpu) : '–',
          `${number(own.wallMs.p50)} / ${number(own.wallMs.p99)}`,
          isCompared ? timesSpread(own.timesLess.wall) : '–',
        ],
      ];
    }),
  );
  return table(
    [
      'batch',
      'records',
      '',
      'sent for a batch',
      'CPU, µs per record',
      'less CPU',
      'wall p50 / p99, ms',
      'less wall time',
    ],
    rows,
    3,
  );
}

import type { Figures } from '../../figures.ts';
import { number, spread, table } from '../format.ts';

/** A row for each size of batch. */
export function routesTable({ routes }: Pick<Figures, 'routes'>): string {
  return table(
    ['batch', 'CPU with a schema and a key, µs per record', 'with routes', 'routes'],
    routes.flatMap(({ workload, contenders }) => {
      const without = contenders['batchlatch-memory-schema'];
      const own = contenders['batchlatch-memory-routes'];
      if (without === undefined || own === undefined) return [];
      const cost = own.cpuMicros.median - without.cpuMicros.median;
      return [[number(workload.size), spread(without.cpuMicros), spread(own.cpuMicros), number(cost)]];
    }),
  );
}

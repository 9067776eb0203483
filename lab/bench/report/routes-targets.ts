import type { Figures } from '../figures.ts';
import { figuresOf } from './lookup.ts';
import { kilobytes, number, spread } from './format.ts';
import { type Target, withReason } from './target.ts';

const MOST_MICROS = 1;
const MOST_KILOBYTES = 3;

/** The targets of routes: what they cost a processor that has a schema and a key in any case. */
export function routesTargetsOf({ routes, sizes }: Figures): Target[] {
  const size = 1_000;
  const without = figuresOf(routes, { size }, 'batchlatch-memory-schema');
  const own = figuresOf(routes, { size }, 'batchlatch-memory-routes');
  const bundle = sizes.find(({ name }) => name === 'routes');
  const targets: Target[] = [];
  if (own !== undefined && without !== undefined) {
    const cost = own.cpuMicros.median - without.cpuMicros.median;
    targets.push(
      withReason(
        {
          figure: 'routes: CPU per record, memory store, batches of 1,000',
          wanted: `at most ${MOST_MICROS} µs`,
          measured: `${number(cost)} µs`,
          isReached: cost <= MOST_MICROS,
        },
        () =>
          `It is the difference of ${spread(own.cpuMicros)} µs with routes and ${spread(without.cpuMicros)} µs without them, ` +
          'each a median with its quartiles.',
      ),
    );
  }
  if (bundle !== undefined) {
    const minified = `${kilobytes(bundle.bytes)} minified.`;
    targets.push(
      withReason(
        {
          figure: 'routes: in a bundle beside `standardSchema` and `payloadHash`, compressed',
          wanted: `at most ${MOST_KILOBYTES} KB`,
          measured: kilobytes(bundle.gzipBytes),
          isReached: bundle.gzipBytes <= MOST_KILOBYTES * 1_024,
        },
        () => minified,
      ),
    );
  }
  return targets;
}

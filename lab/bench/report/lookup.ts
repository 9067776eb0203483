import type { ContenderName } from '../contenders/index.ts';
import type { Figures } from '../figures.ts';
import type { Cell, ContenderFigures } from '../sections/cells.ts';
import type { ColdStartFigures } from '../sections/cold-start.ts';
import type { ProfileFigures } from '../sections/profiles.ts';
import type { Workload } from '../workload.ts';
import { number } from './format.ts';

/** The figures of one contender in the cell of a workload, if that was measured. */
export function figuresOf(
  cells: readonly Cell[],
  wanted: Partial<Workload>,
  contender: ContenderName,
): ContenderFigures | undefined {
  const { size, handlerMs = 0, mix = 'first', groups } = wanted;
  const cell = cells.find(
    ({ workload }) =>
      workload.size === size &&
      workload.handlerMs === handlerMs &&
      workload.mix === mix &&
      workload.groups === groups,
  );
  return cell?.contenders[contender];
}

/** How DynamoDB is reached, and how titles say so. */
export const WAYS = {
  http: { title: '', batchlatch: 'batchlatch', powertools: 'powertools', floor: 'floor' },
  tls: {
    title: ' over TLS',
    batchlatch: 'batchlatch-tls',
    powertools: 'powertools-tls',
    floor: 'floor-tls',
  },
} as const;
export type Way = keyof typeof WAYS;

/** The figures of this library, the peer and the floor in a cell, on one way to DynamoDB. */
export function onWay(
  { comparison, overTls }: Pick<Figures, 'comparison' | 'overTls'>,
  way: Way,
  wanted: Partial<Workload>,
): Readonly<Record<'batchlatch' | 'powertools' | 'floor', ContenderFigures | undefined>> {
  const cells = way === 'tls' ? overTls : comparison;
  const { batchlatch, powertools, floor } = WAYS[way];
  return {
    batchlatch: figuresOf(cells, wanted, batchlatch),
    powertools: figuresOf(cells, wanted, powertools),
    floor: figuresOf(cells, wanted, floor),
  };
}

/** What contenders are called on the page. */
export const TITLES: Readonly<Record<ContenderName, string>> = {
  batchlatch: 'batchlatch',
  'batchlatch-tls': 'batchlatch',
  'powertools-tls': 'Powertools',
  'floor-tls': 'floor',
  'batchlatch-silent': 'batchlatch, no log',
  'batchlatch-sdk-client': 'batchlatch, SDK client',
  'batchlatch-memory': 'batchlatch',
  'batchlatch-memory-silent': 'batchlatch, no log',
  'batchlatch-memory-schema': 'batchlatch, schema and key',
  'batchlatch-memory-routes': 'batchlatch, routes',
  'batchlatch-postgres': 'batchlatch, PostgreSQL',
  'batchlatch-postgres-prepared': 'batchlatch, PostgreSQL, prepared',
  'batchlatch-redis': 'batchlatch, Redis',
  'batchlatch-ioredis': 'batchlatch, Redis by ioredis',
  powertools: 'Powertools',
  'powertools-own-client': 'Powertools, its own client',
  'powertools-memory': 'Powertools',
  'powertools-redis': 'Powertools, Redis',
  'by-hand': 'by hand',
  'by-hand-postgres': 'by hand, PostgreSQL',
  middy: 'middy, no claims',
  floor: 'floor',
  'floor-single': 'floor, one request a write',
  'floor-postgres': 'floor, PostgreSQL',
  'floor-redis': 'floor, Redis',
};

/** What contenders are called where stores are compared. */
export function storeTitle(contender: ContenderName): string {
  if (contender === 'batchlatch') return `${TITLES.batchlatch}, DynamoDB`;
  return contender === 'batchlatch-memory' ? `${TITLES.batchlatch}, memory` : TITLES[contender];
}

/** What the workloads' mixes are called on the page. */
export const MIX_TITLES: Readonly<Record<Workload['mix'], string>> = {
  first: 'first deliveries',
  duplicates: '10 % duplicates',
  failures: '10 % failures',
};

export function titleOfProfile({
  contender,
  workload: { size, mix },
}: Pick<ProfileFigures, 'contender' | 'workload'>): string {
  const store = contender.includes('memory') ? ', memory store' : '';
  const records = mix === 'first' ? '' : `, ${MIX_TITLES[mix]}`;
  return `${TITLES[contender]}${store}, ${number(size)}${records}`;
}

/** One kind of bundle of one library, loaded with DynamoDB at plain HTTP as all other figures are. */
export function coldStartOf(
  { coldStart }: Pick<Figures, 'coldStart'>,
  library: ColdStartFigures['library'],
  bundle: ColdStartFigures['bundle'],
): ColdStartFigures | undefined {
  return coldStart.find((one) => one.library === library && one.bundle === bundle && one.protocol === 'http');
}

/** What the functions that start are called on the page. */
export const FUNCTION_TITLES: Readonly<Record<ColdStartFigures['library'], string>> = {
  batchlatch: TITLES.batchlatch,
  powertools: TITLES.powertools,
  floor: TITLES.floor,
  empty: 'a function that does nothing',
};

import type { Figures } from '../figures.ts';
import type { ColdStartFigures } from '../sections/cold-start.ts';
import type { Workload } from '../workload.ts';
import { kilobytes, number, percent, times } from './format.ts';
import { coldStartOf, figuresOf, MIX_TITLES, onWay, type Way, WAYS } from './lookup.ts';
import { queueWorkerTargetsOf } from './queue-worker-targets.ts';
import { routesTargetsOf } from './routes-targets.ts';
import { senderTargetsOf } from './sender-targets.ts';
import { storeTargetsOf } from './store-targets.ts';
import { type Target, withReason } from './target.ts';
import { whyBundle, whyCpu, whyMemoryStore, whyStart, whyWall } from './reasons.ts';

/** The targets that this run has figures for. */
export function targetsOf(figures: Figures): Target[] {
  return [
    requests(figures, { size: 10 }, 10),
    requests(figures, { size: 10, mix: 'duplicates' }, 6.3),
    requests(figures, { size: 1_000 }, 25),
    cpu(figures, { size: 10 }, 10),
    cpu(figures, { size: 10, mix: 'duplicates' }, 8),
    cpu(figures, { size: 10, mix: 'failures' }, 8),
    cpu(figures, { size: 1_000 }, 14),
    cpu(figures, { size: 10 }, 10, 'tls'),
    cpu(figures, { size: 1_000 }, 14, 'tls'),
    wall(figures, 10, 1 / 3),
    wall(figures, 10, 1 / 3, 'tls'),
    wall(figures, 1_000, 1 / 4),
    memoryStore(figures),
    start(figures, 'without-sdk', 'total'),
    start(figures, 'whole', 'total'),
    start(figures, 'whole', 'load'),
    wholeBundle(figures),
    ownCode(figures),
    ...sizes(figures),
    ...storeTargetsOf(figures),
    ...queueWorkerTargetsOf(figures),
    ...senderTargetsOf(figures),
    ...routesTargetsOf(figures),
  ].filter((target) => target !== undefined);
}

type Cell = Partial<Workload> & Pick<Workload, 'size'>;

function titleOf({ size, mix = 'first' }: Cell): string {
  return `batches of ${number(size)}${mix === 'first' ? '' : `, ${MIX_TITLES[mix]}`}`;
}

function requests({ comparison }: Figures, cell: Cell, wanted: number): Target | undefined {
  const own = figuresOf(comparison, cell, 'batchlatch');
  if (own === undefined) return undefined;
  return {
    figure: `DynamoDB requests per record, ${titleOf(cell)}`,
    wanted: `${wanted}× fewer`,
    measured: times(own.timesLess.requests),
    // A ratio of counts; the last bit of a division is no difference.
    isReached: own.timesLess.requests >= wanted * 0.999,
  };
}

function cpu(figures: Figures, cell: Cell, wanted: number, way: Way = 'http'): Target | undefined {
  const own = onWay(figures, way, cell).batchlatch;
  if (own === undefined) return undefined;
  const ratio = own.timesLess.cpu.median;
  return withReason(
    {
      figure: `client CPU per record${WAYS[way].title}, ${titleOf(cell)}`,
      wanted: `${wanted}× less`,
      measured: times(ratio),
      isReached: ratio >= wanted,
    },
    () => whyCpu(figures, cell, way),
  );
}

function wall(figures: Figures, size: number, most: number, way: Way = 'http'): Target | undefined {
  const own = onWay(figures, way, { size }).batchlatch;
  if (own === undefined) return undefined;
  const share = 1 / own.timesLess.wall.median;
  return withReason(
    {
      figure: `wall time of a batch of ${number(size)}${WAYS[way].title}`,
      wanted: `at most ${percent(most)} of Powertools'`,
      measured: percent(share),
      isReached: share <= most,
    },
    () => whyWall(figures, size, way),
  );
}

const MOST_MICROS = 12;

function memoryStore(figures: Figures): Target | undefined {
  const size = 1_000;
  const own = figuresOf(figures.memoryStore, { size }, 'batchlatch-memory');
  if (own === undefined) return undefined;
  const micros = own.cpuMicros.median;
  return withReason(
    {
      figure: 'own CPU per record (memory store, no-op handler, batches of 1,000)',
      wanted: `at most ${MOST_MICROS} µs`,
      measured: `${number(micros)} µs`,
      isReached: micros <= MOST_MICROS,
    },
    () => whyMemoryStore(figures),
  );
}

/** What of a start is measured, and the most that it may take of Powertools'. */
const STARTS = {
  load: { title: 'load', most: 0.37 },
  total: { title: 'load and first answer', most: 0.3 },
};
const CONTENTS = { 'without-sdk': "AWS's SDK left to the runtime", whole: 'everything in the bundle' };

function start(
  figures: Figures,
  bundle: ColdStartFigures['bundle'],
  part: keyof typeof STARTS,
): Target | undefined {
  const own = coldStartOf(figures, 'batchlatch', bundle);
  if (own === undefined) return undefined;
  const share = 1 / own.timesLess[part].median;
  const { title, most } = STARTS[part];
  return withReason(
    {
      figure: `${title} of a function in a new process, ${CONTENTS[bundle]}`,
      wanted: `at most ${percent(most)} of Powertools'`,
      measured: percent(share),
      isReached: share <= most,
    },
    () => whyStart(figures, bundle),
  );
}

const MOST_KILOBYTES = 120;

function wholeBundle(figures: Figures): Target | undefined {
  const own = coldStartOf(figures, 'batchlatch', 'whole');
  if (own === undefined) return undefined;
  return withReason(
    {
      figure: 'the whole bundle of that function, dependencies included',
      wanted: `at most ${MOST_KILOBYTES} KB`,
      measured: kilobytes(own.bytes),
      isReached: own.bytes <= MOST_KILOBYTES * 1_024,
    },
    () => whyBundle(own),
  );
}

function ownCode(figures: Figures): Target | undefined {
  const own = coldStartOf(figures, 'batchlatch', 'without-sdk');
  if (own === undefined) return undefined;
  const share = 1 / own.timesLess.bytes;
  return withReason(
    {
      figure: "the bundle with AWS's SDK left out of both",
      wanted: "at most half of Powertools'",
      measured: `${kilobytes(own.bytes)}, ${percent(share)}`,
      isReached: share <= 0.5,
    },
    () => whyBundle(own),
  );
}

function sizes(figures: Figures): Target[] {
  return figures.sizes.flatMap(({ name, bytes, packages, mostKilobytes }) => {
    if (mostKilobytes === undefined) return [];
    const target = {
      figure: `minified size, AWS's SDK left out: ${name}`,
      wanted: `at most ${mostKilobytes} KB`,
      measured: kilobytes(bytes),
      isReached: bytes <= mostKilobytes * 1_024,
    };
    return [withReason(target, () => whyBundle({ packages }))];
  });
}

import type { Figures } from '../figures.ts';
import { kilobytes, number, times } from './format.ts';
import { figuresOf } from './lookup.ts';
import { whyBundle, whyCpu, whyMemoryStore, whyWall } from './reasons.ts';

/** What the project set out to reach, and what a run says about it. */
export interface Target {
  readonly figure: string;
  readonly wanted: string;
  readonly measured: string;
  readonly isReached: boolean;
  /** Why not, with the profile's numbers; there only where it was not reached. */
  readonly reason?: string;
}

/** The targets that this run has figures for. */
export function targetsOf(figures: Figures): Target[] {
  return [
    requests(figures, 10, 10),
    requests(figures, 1_000, 20),
    cpu(figures, 10, 5),
    cpu(figures, 1_000, 8),
    wall(figures, 10),
    wall(figures, 1_000),
    memoryStore(figures),
    bundle(figures),
    ...sizes(figures),
  ].filter((target) => target !== undefined);
}

function requests({ comparison }: Figures, size: number, wanted: number): Target | undefined {
  const own = figuresOf(comparison, { size }, 'batchlatch');
  if (own === undefined) return undefined;
  return {
    figure: `DynamoDB requests per record, batches of ${number(size)}`,
    wanted: `${wanted}× fewer`,
    measured: times(own.timesLess.requests),
    // A ratio of counts; the last bit of a division is no difference.
    isReached: own.timesLess.requests >= wanted * 0.999,
  };
}

function cpu(figures: Figures, size: number, wanted: number): Target | undefined {
  const own = figuresOf(figures.comparison, { size }, 'batchlatch');
  if (own === undefined) return undefined;
  const ratio = own.timesLess.cpu.median;
  return withReason(
    {
      figure: `client CPU per record, batches of ${number(size)}`,
      wanted: `${wanted}× less`,
      measured: times(ratio),
      isReached: ratio >= wanted,
    },
    () => whyCpu(figures, size),
  );
}

function wall(figures: Figures, size: number): Target | undefined {
  const own = figuresOf(figures.comparison, { size }, 'batchlatch');
  if (own === undefined) return undefined;
  const ratio = own.timesLess.wall.median;
  return withReason(
    {
      figure: `wall time of a batch of ${number(size)}`,
      wanted: 'at most half',
      measured: `${number(100 / ratio)} %`,
      isReached: ratio >= 2,
    },
    () => whyWall(figures, size),
  );
}

const MOST_MICROS = 15;

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

function bundle(figures: Figures): Target | undefined {
  const own = figures.coldStart.find((one) => one.library === 'batchlatch' && one.sdk === 'left-out');
  if (own === undefined) return undefined;
  const share = 1 / own.timesLess.bytes;
  return withReason(
    {
      figure: "own code in the bundle, AWS's SDK left out",
      wanted: "at most half of Powertools'",
      measured: `${kilobytes(own.bytes)}, ${number(share * 100)} %`,
      isReached: share <= 0.5,
    },
    () => whyBundle(figures),
  );
}

function sizes(figures: Figures): Target[] {
  return figures.sizes.flatMap(({ name, bytes, mostKilobytes }) =>
    mostKilobytes === undefined
      ? []
      : [
          {
            figure: `minified size, AWS's SDK left out: ${name}`,
            wanted: `at most ${mostKilobytes} KB`,
            measured: kilobytes(bytes),
            isReached: bytes <= mostKilobytes * 1_024,
          },
        ],
  );
}

function withReason(target: Target, reason: () => string): Target {
  return target.isReached ? target : { ...target, reason: reason() };
}

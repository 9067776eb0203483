import type { ContenderName } from '../contenders/index.ts';
import type { Figures } from '../figures.ts';
import type { ColdStartFigures } from '../sections/cold-start.ts';
import type { Workload } from '../workload.ts';
import { kilobytes, number, times } from './format.ts';
import { coldStartOf, FUNCTION_TITLES, onWay, type Way } from './lookup.ts';

/** What stands between a figure and its target: the floor's own figure, and the profile's largest shares. */
export function whyCpu(figures: Figures, cell: Partial<Workload>, way: Way): string {
  const { floor } = onWay(figures, way, cell);
  const atBest =
    floor === undefined
      ? ''
      : `The bare requests alone are ${times(floor.timesLess.cpu.median)} cheaper than Powertools. `;
  return `${atBest}${profileSentence(figures.profiles, 'batchlatch', cell)}`;
}

export function whyWall(figures: Figures, size: number, way: Way): string {
  const { floor, batchlatch: own } = onWay(figures, way, { size });
  if (floor === undefined || own === undefined) return 'No figures of the floor in this run.';
  return (
    `The bare requests alone take ${number(100 / floor.timesLess.wall.median)} % of Powertools' time ` +
    `(${number(floor.wallMs.p50)} ms of ${number(own.wallMs.p50)} ms here): the rest is client CPU, ` +
    `and the emulator, which works through the statements of a request one after the other.`
  );
}

export function whyMemoryStore(figures: Figures): string {
  return profileSentence(figures.profiles, 'batchlatch-memory-silent', { size: 1_000 });
}

export function whyBundle(bundle: Pick<ColdStartFigures, 'packages'>): string {
  return `It holds ${contentsOf(bundle)}.`;
}

const SHOWN = 10;

/** The largest parts of a bundle by name, and the rest as one. */
export function contentsOf({ packages }: Pick<ColdStartFigures, 'packages'>): string {
  const rest = packages.slice(SHOWN).reduce((sum, { bytes }) => sum + bytes, 0);
  const shown = packages.slice(0, SHOWN).map(({ name, bytes }) => `${name} ${kilobytes(bytes)}`);
  return [...shown, ...(rest === 0 ? [] : [`the rest ${kilobytes(rest)}`])].join(', ');
}

export function whyStart(figures: Figures, bundle: ColdStartFigures['bundle']): string {
  const starts = (['batchlatch', 'powertools', 'floor', 'empty'] as const).flatMap((library) => {
    const own = coldStartOf(figures, library, bundle);
    if (own === undefined) return [];
    const { loadMs, firstBatchMs, cpuMs } = own;
    return [
      `${FUNCTION_TITLES[library]}: ${number(loadMs.median)} ms to load, ${number(firstBatchMs.median)} ms to the ` +
        `first answer, ${number(cpuMs.median)} ms of CPU with the start of Node`,
    ];
  });
  return `${starts.join('; ')}.`;
}

/** What the profile of a contender in a cell says, in a sentence or two. */
export function profileSentence(
  profiles: Figures['profiles'],
  contender: ContenderName,
  { size, mix = 'first' }: Partial<Workload>,
): string {
  const profile = profiles.find(
    ({ contender: name, workload }) => name === contender && workload.size === size && workload.mix === mix,
  );
  if (profile === undefined) return 'This run has no profile of it.';
  const groups = Object.entries(profile.groups);
  const total = groups.reduce((sum, [, micros]) => sum + micros, 0);
  const shares = groups
    .slice(0, 6)
    .map(([name, micros]) => `${name} ${number(micros)} µs (${number((micros / total) * 100)} %)`);
  const top = profile.functions.find(({ name }) => !name.startsWith('('));
  const dearest =
    top === undefined ? '' : ` The dearest function is \`${top.name}\`, ${number(top.micros)} µs.`;
  return `In the profile a record takes ${number(total)} µs: ${shares.join(', ')}.${dearest}`;
}

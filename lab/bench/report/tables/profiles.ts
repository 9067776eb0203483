import type { Figures } from '../../figures.ts';
import { number, table } from '../format.ts';
import { MIX_TITLES, titleOfProfile } from '../lookup.ts';

export function profilesTable({ profiles }: Pick<Figures, 'profiles'>): string {
  const groups = [...new Set(profiles.flatMap((profile) => Object.keys(profile.groups)))];
  const headings = profiles.map(titleOfProfile);
  const rows = groups.map((group) => [
    group,
    ...profiles.map((profile) => {
      const micros = profile.groups[group];
      return micros === undefined ? '–' : number(micros);
    }),
  ]);
  return table(['µs per record', ...headings], rows);
}

export function functionsTable({ profiles }: Figures): string {
  const shown = profiles.filter(({ contender }) => contender.startsWith('batchlatch'));
  const rows = shown.flatMap(({ contender, workload, functions }) =>
    functions
      .slice(0, 10)
      .map(({ name, micros }) => [
        `${contender.includes('memory') ? 'memory store' : 'DynamoDB'}, ${number(workload.size)}, ${MIX_TITLES[workload.mix]}`,
        `\`${name}\``,
        number(micros),
      ]),
  );
  return table(['batch', 'function', 'µs per record'], rows, 2);
}

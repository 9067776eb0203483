import type { Figures } from '../../figures.ts';
import type { SizeFigures } from '../../sections/sizes.ts';
import { kilobytes, table } from '../format.ts';

export function sizesTable({ sizes }: Figures): string {
  const of = (kind: SizeFigures['kind']): SizeFigures[] => sizes.filter((one) => one.kind === kind);
  const wholes = table(
    ['a function with', 'minified'],
    of('whole').map(({ name, bytes }) => [name, kilobytes(bytes)]),
  );
  const parts = table(
    ['what an import adds to the first', 'minified'],
    of('part').map(({ name, bytes }) => [`\`${name}\``, kilobytes(bytes)]),
  );
  return `${wholes}\n\n${parts}`;
}

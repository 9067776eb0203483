import type { Figures } from '../../figures.ts';
import type { SizeFigures } from '../../sections/sizes.ts';
import { kilobytes, table } from '../format.ts';

export function sizesTable({ sizes }: Figures): string {
  const of = (kind: SizeFigures['kind']): SizeFigures[] => sizes.filter((one) => one.kind === kind);
  const wholes = table(
    ['a function with', 'minified', 'compressed'],
    of('whole').map(({ name, bytes, gzipBytes }) => [name, kilobytes(bytes), kilobytes(gzipBytes)]),
  );
  const parts = table(
    ['what an import adds to the first', 'minified', 'compressed'],
    of('part').map(({ name, bytes, gzipBytes }) => [`\`${name}\``, kilobytes(bytes), kilobytes(gzipBytes)]),
  );
  return `${wholes}\n\n${parts}`;
}

import { type Bundle, PARTS, WHOLES } from '../bundles.ts';
import { minifiedBytes } from '../harness/build.ts';
import type { Progress } from '../harness/progress.ts';

export interface SizeFigures {
  readonly name: string;
  readonly kind: 'whole' | 'part';
  /** Minified ESM without AWS's SDK: of the whole, or what the part adds to the first whole. */
  readonly bytes: number;
  readonly mostKilobytes?: number;
}

/** What a function has in its bundle for what it imports. */
export async function measureSizes(progress: Progress): Promise<SizeFigures[]> {
  progress.section('sizes', WHOLES.length + PARTS.length);
  const measure = async (statements: readonly string[]): Promise<number> => {
    const bytes = await minifiedBytes(statements);
    progress.step();
    return bytes;
  };
  const wholes: SizeFigures[] = [];
  for (const { name, statements, mostKilobytes } of WHOLES) {
    const bytes = await measure(statements);
    wholes.push({ name, kind: 'whole', bytes, ...(mostKilobytes !== undefined && { mostKilobytes }) });
  }
  const [core] = WHOLES;
  const coreBytes = wholes[0]?.bytes ?? 0;
  const added = async ({ name, statements }: Bundle): Promise<SizeFigures> => ({
    name,
    kind: 'part',
    bytes: (await measure([...core.statements, ...statements])) - coreBytes,
  });
  const parts: SizeFigures[] = [];
  for (const part of PARTS) parts.push(await added(part));
  return [...wholes, ...parts];
}

import { type Bundle, PARTS, WHOLES } from '../bundles.ts';
import { type FunctionBundle, minified } from '../harness/build.ts';
import type { Progress } from '../harness/progress.ts';

export interface SizeFigures {
  readonly name: string;
  readonly kind: 'whole' | 'part';
  /** Minified ESM without AWS's SDK: of the whole, or what the part adds to the first whole. */
  readonly bytes: number;
  /** The same, compressed. */
  readonly gzipBytes: number;
  readonly mostKilobytes?: number;
  /** Whose code it is, the largest first. */
  readonly packages: FunctionBundle['packages'];
}

/** What a function has in its bundle for what it imports. */
export async function measureSizes(progress: Progress): Promise<SizeFigures[]> {
  progress.section('sizes', WHOLES.length + PARTS.length);
  const measure: typeof minified = async (statements) => {
    const bundle = await minified(statements);
    progress.step();
    return bundle;
  };
  const wholes: SizeFigures[] = [];
  for (const { name, statements, mostKilobytes } of WHOLES) {
    wholes.push({
      name,
      kind: 'whole',
      ...(await measure(statements)),
      ...(mostKilobytes !== undefined && { mostKilobytes }),
    });
  }
  const [core] = WHOLES;
  const base = await minified(core.statements);
  const added = async ({ name, statements, needs = [] }: Bundle): Promise<SizeFigures> => {
    const around = [...core.statements, ...needs];
    const without = needs.length === 0 ? base : await minified(around);
    const whole = await measure([...around, ...statements]);
    const bytes = whole.bytes - without.bytes;
    return { name, kind: 'part', packages: [], bytes, gzipBytes: whole.gzipBytes - without.gzipBytes };
  };
  const parts: SizeFigures[] = [];
  for (const part of PARTS) parts.push(await added(part));
  return [...wholes, ...parts];
}

import path from 'node:path';
import { build } from 'esbuild';
import { bundleMutant } from '../rules/bundle-mutant.ts';
import type { Change } from '../rules/mutant.ts';
import type { memoryStore } from '../../src/stores/memory/memory-store.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The memory store of a source in which rules are changed. */
export async function mutantStore(changes: readonly Change[]): Promise<typeof memoryStore> {
  const { outputFiles } = await build({
    entryPoints: [path.join(ROOT, 'src/stores/memory/memory-store.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    plugins: [bundleMutant(ROOT, changes)],
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  const mutant = (await import(`data:text/javascript;base64,${code}`)) as {
    readonly memoryStore: typeof memoryStore;
  };
  return mutant.memoryStore;
}

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import type { memoryStore } from '../src/stores/memory/memory-store.ts';
import type { Patch } from './guards.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

/** The memory store of a source in which something is changed. Throws where a patch is out of date. */
export async function mutantStore(patches: readonly Patch[]): Promise<typeof memoryStore> {
  const { outputFiles } = await build({
    entryPoints: [path.join(ROOT, 'src/stores/memory/memory-store.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    plugins: [
      {
        name: 'patches',
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
            const own = patches.filter((patch) => path.join(ROOT, patch.file) === file);
            return { contents: patched(await readFile(file, 'utf8'), own), loader: 'ts' };
          });
        },
      },
    ],
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  const mutant = (await import(`data:text/javascript;base64,${code}`)) as {
    readonly memoryStore: typeof memoryStore;
  };
  return mutant.memoryStore;
}

function patched(text: string, patches: readonly Patch[]): string {
  return patches.reduce((changed, { file, search, replace }) => {
    if (changed.split(search).length !== 2)
      throw new Error(`${file} does not contain, exactly once: ${search}`);
    return changed.replace(search, () => replace);
  }, text);
}

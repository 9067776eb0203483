import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Esbuild } from './function-build.ts';

const HERE = path.dirname(fileURLToPath(import.meta.url));

/**
 * The program that runs in every function's process. Where this package is built it lies beside this file; where it runs
 * from its sources, it is built into `folder` first.
 */
export async function functionProgram(loadEsbuild: () => Esbuild, folder: string): Promise<string> {
  const built = path.join(HERE, 'function-process.js');
  if (existsSync(built)) return built;
  const outfile = path.join(folder, 'function-process.mjs');
  await loadEsbuild().build({
    entryPoints: [path.join(HERE, 'function-process.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return outfile;
}

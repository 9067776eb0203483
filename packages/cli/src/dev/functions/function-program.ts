import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Esbuild } from './function-build.ts';

const HERE = path.dirname(fileURLToPath(import.meta.url));

/** Returns the program of function processes; in a checkout, builds it into `folder` first. */
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

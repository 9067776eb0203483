import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { packagesOf } from './third-party-licenses.ts';

/** Where packages are found when the build goes into another folder. */
const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url));

/**
 * Bundles the monitor's function into one file of the folder, `index.mjs`, and gives the folders of the packages whose code is in it. Lambda's
 * runtimes have the AWS SDK, and keep it up to date.
 */
export async function buildMonitorFunction(entry: string, folder: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    outfile: path.join(folder, 'index.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    legalComments: 'none',
    nodePaths: [MODULES],
    external: ['@aws-sdk/*'],
    metafile: true,
    logLevel: 'error',
  });
  return packagesOf(metafile);
}

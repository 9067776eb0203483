import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Where packages are found when the build goes into another folder. */
const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url));

/**
 * Bundles the monitor's function into one file of the folder, `index.mjs`, and gives the packages whose code is in it. Lambda's
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
  return packagesIn(Object.keys(metafile.inputs));
}

/** Of the files that went into a bundle, the packages that they are of. */
export function packagesIn(files: readonly string[]): readonly string[] {
  const names = files.map((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined).sort();
}

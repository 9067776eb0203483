import path from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles the monitor's function into one file of the folder, `index.mjs`, and gives the packages whose code is in it.
 *
 */
export async function buildMonitorFunction(entry: string, folder: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    outfile: path.join(folder, 'index.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: true,
    legalComments: 'none',
    // Bundled CommonJS still calls require() for Node's own modules; an ES module has none.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
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

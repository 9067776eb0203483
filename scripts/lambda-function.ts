import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { packagesOf } from './third-party-licenses.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Gives ES modules a `require`, for those of their packages that are CommonJS. */
export const REQUIRE =
  "import { createRequire as batchlatchRequire } from 'node:module'; const require = batchlatchRequire(import.meta.url);";

/**
 * Bundles the code of a Lambda function into one file of the folder, `index.mjs`, and returns the folders of the packages whose code
 * is in it. Lambda's runtimes have the AWS SDK, and keep it up to date. `define` replaces names of the code by JSON texts.
 */
export async function buildLambdaFunction(
  entry: string,
  folder: string,
  define: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const { metafile } = await build({
    // npm builds a package in its own folder, and the paths of packages are told from here.
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile: path.join(folder, 'index.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    legalComments: 'none',
    // Where packages are found when the build goes into another folder.
    nodePaths: [path.join(ROOT, 'node_modules')],
    external: ['@aws-sdk/*'],
    define: { ...define },
    banner: { js: REQUIRE },
    metafile: true,
    logLevel: 'error',
  });
  return packagesOf(metafile);
}

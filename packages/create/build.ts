/** Bundles the bin into one file with what it uses, so that `npm create` downloads one package. `--out` names another folder than the repository. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { licensesOf, packagesOf } from '../../scripts/third-party-licenses.ts';

const PACKAGE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = path.resolve(PACKAGE, '../..');
const { values } = parseArgs({ options: { out: { type: 'string' } } });
const DIST = path.resolve(ROOT, values.out ?? '.', 'packages/create/dist');

await rm(DIST, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: [path.join(PACKAGE, 'src/create-batchlatch.ts')],
  outdir: DIST,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  bundle: true,
  minify: true,
  mainFields: ['module', 'main'],
  // For what is CommonJS among the packages.
  banner: {
    js: "import { createRequire as batchlatchRequire } from 'node:module'; const require = batchlatchRequire(import.meta.url);",
  },
  legalComments: 'none',
  metafile: true,
  logLevel: 'error',
});
await writeFile(path.join(DIST, 'THIRD-PARTY-LICENSES.md'), await licensesOf(ROOT, packagesOf(metafile)));

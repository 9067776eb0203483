import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build, type Metafile } from 'esbuild';
import { REQUIRE } from './lambda-function.ts';
import { licensesOf, packagesOf } from './third-party-licenses.ts';

/**
 * Builds the bin: `packages/cli/src/cli`, the library and every package that they use but the dependencies of the command line, which
 * are found when a command needs them. Split, so that `--help` loads the argument parser and nothing of AWS.
 */
export async function buildCli(root: string, folder: string): Promise<void> {
  const { dependencies } = JSON.parse(
    await readFile(path.join(root, 'packages/cli/package.json'), 'utf8'),
  ) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      batchlatch: path.join(root, 'packages/cli/src/cli/batchlatch.ts'),
      // What runs in the processes of functions, beside the code that starts them.
      'function-process': path.join(root, 'packages/cli/src/dev/functions/function-process.ts'),
    },
    outdir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    bundle: true,
    splitting: true,
    minify: true,
    // Names of classes are names of errors.
    keepNames: true,
    external: Object.keys(dependencies),
    mainFields: ['module', 'main'],
    banner: { js: REQUIRE },
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  });
  await writeFile(
    path.join(folder, 'THIRD-PARTY-LICENSES.md'),
    await licensesOf(root, packagesOf(inOutputs(metafile))),
  );
}

/** Without what was read, and left out since nobody uses it. */
function inOutputs({ outputs }: Metafile): { readonly inputs: object } {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  return { inputs: Object.fromEntries(inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0)) };
}

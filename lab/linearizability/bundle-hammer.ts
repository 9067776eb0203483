import { build } from 'esbuild';
import { bundleMutant } from '../../lab/rules/bundle-mutant.ts';
import type { Mutant } from '../../lab/rules/mutant.ts';

/** Bundled CommonJS asks for Node's own modules with require(), which ESM has to be given. */
const REQUIRE = "import{createRequire as r}from'module';const require=r(import.meta.url);";

/** `hammer.ts` as one file, which starts in a tenth of the time; with the changes of a mutant, where one is given. */
export async function bundleHammer(outfile: string, mutant?: Mutant): Promise<string> {
  await build({
    entryPoints: ['lab/linearizability/hammer.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    external: ['@aws-sdk/client-*', 'pg-native'],
    banner: { js: REQUIRE },
    plugins: mutant === undefined ? [] : [bundleMutant(process.cwd(), mutant.changes)],
  });
  return outfile;
}

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { Mutant } from '../simulation/mutant.ts';

/** Bundled CommonJS asks for Node's own modules with require(), which ESM has to be given. */
const REQUIRE = "import{createRequire as r}from'module';const require=r(import.meta.url);";

/** `hammer.ts` as one file, which starts in a tenth of the time; with the patches of a mutant, where one is given. */
export async function bundleHammer(outfile: string, mutant?: Mutant): Promise<string> {
  await build({
    entryPoints: ['test/linearizability/hammer.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    external: ['@aws-sdk/client-*', 'pg-native'],
    banner: { js: REQUIRE },
    plugins: mutant === undefined ? [] : [patching(mutant)],
  });
  return outfile;
}

function patching({ name, patches }: Mutant): Plugin {
  return {
    name,
    setup(bundle) {
      const used = new Set<string>();
      for (const file of new Set(patches.map((patch) => patch.file))) {
        const whole = path.resolve(file);
        bundle.onLoad({ filter: new RegExp(`${whole.replaceAll(/[^\w/]/g, '\\$&')}$`) }, async () => {
          used.add(file);
          let contents = await readFile(whole, 'utf8');
          for (const { search, replace } of patches.filter((patch) => patch.file === file)) {
            if (contents.split(search).length !== 2) {
              throw new Error(`${name} is out of date: ${file} does not contain, exactly once: ${search}`);
            }
            contents = contents.replace(search, () => replace);
          }
          return { contents, loader: 'ts' };
        });
      }
      bundle.onEnd(() => {
        const unused = patches.filter(({ file }) => !used.has(file)).map(({ file }) => file);
        if (unused.length > 0) throw new Error(`${name} changes what no store uses: ${unused.join(', ')}`);
      });
    },
  };
}

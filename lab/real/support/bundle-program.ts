import path from 'node:path';
import { build } from 'esbuild';
import { runFolder } from './sam-cli.ts';

/** Bundled CommonJS asks for Node's own modules with require(), which ESM has to be given. */
const REQUIRE =
  "import{createRequire as requireFrom}from'module';const require=requireFrom(import.meta.url);";

/** `<folder>/<name>.ts` as one file, which starts in a tenth of the time. By default clients of AWS's SDK are left out. */
export async function bundleProgram(
  name: string,
  { folder = 'test/support', usesSdk = false } = {},
): Promise<string> {
  const outfile = path.join(runFolder(), `${name}.mjs`);
  await build({
    entryPoints: [`${folder}/${name}.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    external: usesSdk ? [] : ['@aws-sdk/client-*'],
    banner: { js: REQUIRE },
  });
  return outfile;
}

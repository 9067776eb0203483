import { join } from 'node:path';
import { build, type Format } from 'esbuild';
import { at, readTemplate } from '../../../test/sam/read-template.ts';
import { runFolder } from './sam-cli.ts';

/** Bundles `lab/real/functions/<name>.ts` with the template's own settings, and gives the folder. */
export async function bundleFunction(name: string): Promise<string> {
  const folder = join(runFolder(), name);
  const setting = (property: string) =>
    at(readTemplate(), 'Resources', 'OrdersFunction', 'Metadata', 'BuildProperties', property);
  const pairs = (property: string) =>
    Object.fromEntries((setting(property) as string[]).map((pair) => splitOnce(pair, '=')));
  await build({
    entryPoints: [`lab/real/functions/${name}.ts`],
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: setting('Format') as Format,
    target: String(setting('Target')),
    mainFields: String(setting('MainFields')).split(','),
    minify: setting('Minify') === true,
    keepNames: setting('KeepNames') === true,
    sourcemap: setting('Sourcemap') === true,
    outExtension: pairs('OutExtension'),
    banner: pairs('Banner'),
  });
  return folder;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}

import { build } from 'esbuild';
import { type Bundle, PARTS, WHOLES } from '../bench/bundles.ts';

/** What a function that imports this has in its bundle: minified ESM, without AWS's SDK. */
export interface BundleSize {
  /** Of a part, what it adds to the first of the whole functions with what it needs. */
  readonly bytes: number;
  readonly modules: number;
}

/** Measures the bundles of the build, by what is imported. */
export async function bundleSizes(): Promise<Readonly<Record<string, BundleSize>>> {
  const [core] = WHOLES;
  const base = await sizeOf(core);
  const sizes: Record<string, BundleSize> = {};
  for (const whole of WHOLES) sizes[whole.name] = await sizeOf(whole);
  for (const { name, statements, needs = [] } of PARTS) {
    const around = [...core.statements, ...needs];
    const without = needs.length === 0 ? base : await sizeOf({ name, statements: around });
    const { bytes, modules } = await sizeOf({ name, statements: [...around, ...statements] });
    sizes[`+ ${name}`] = { bytes: bytes - without.bytes, modules: modules - without.modules };
  }
  return sizes;
}

async function sizeOf({ name, statements }: Bundle): Promise<BundleSize> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: statements.join('\n'), resolveDir: '.' }, // the package, by its own name
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: ['@aws-sdk/*'],
    mainFields: ['module', 'main'],
    tsconfigRaw: {}, // not the project's, which maps the package's name to its source
    metafile: true,
    write: false,
  });
  const [contents] = outputFiles;
  const [output] = Object.values(metafile.outputs);
  if (contents === undefined || output === undefined) throw new Error(`Nothing was bundled for ${name}`);
  const used = Object.values(output.inputs).filter(({ bytesInOutput }) => bytesInOutput > 0);
  return { bytes: contents.contents.length, modules: used.length };
}

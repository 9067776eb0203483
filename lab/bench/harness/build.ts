import { execFile } from 'node:child_process';
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, type BuildOptions } from 'esbuild';
import { ownerOf } from '../bundle-owner.ts';
import { SELF_SIGNED } from '../../../test/support/self-signed.ts';
import { BENCH, BUILD, CERTIFICATE, ROOT } from './paths.ts';

const NODE = 'node20';

/**
 * Builds the library as it is published, and the worker processes. `root`: the sources of the library, if they are not
 * those of this repository.
 */
export async function buildWorkers(folder: string = BUILD, root: string = ROOT): Promise<void> {
  const library = path.join(folder, 'node_modules/batchlatch'); // where it is found by its name
  await rm(folder, { recursive: true, force: true });
  await mkdir(library, { recursive: true });
  await buildLibrary(folder, root, path.join(library, 'dist'));
  await copyFile(path.join(root, 'package.json'), path.join(library, 'package.json'));
  await writeFile(CERTIFICATE, SELF_SIGNED.cert);
  await build({
    entryPoints: [path.join(BENCH, 'worker/worker.ts'), path.join(BENCH, 'worker/load-function.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true, // a dynamic import stays one: no library is loaded where another is measured
    packages: 'external',
    platform: 'node',
    target: NODE,
    format: 'esm',
    tsconfigRaw: {}, // not the project's, which maps the package's name to its source
  });
}

/** As `npm run build` does it. It takes what is below a `node_modules` for a dependency, so it is moved there afterwards. */
async function buildLibrary(folder: string, root: string, outDir: string): Promise<void> {
  const out = path.join(folder, 'library');
  const script = path.join(root, 'scripts/build.ts');
  await promisify(execFile)(process.execPath, ['--import', 'tsx', script, 'library', '--out', out], {
    cwd: root,
  });
  await rename(path.join(out, 'dist'), outDir);
}

export interface FunctionBundle {
  readonly file: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  /** What each package adds to the bundle, and each room of this one, the largest first. */
  readonly packages: readonly { readonly name: string; readonly bytes: number }[];
}

/** Bundled CommonJS asks for Node's own modules with require(), which ESM has to be given. */
const REQUIRE = "import{createRequire as r}from'module';const require=r(import.meta.url);";

/** As a user bundles a function. */
const MINIFIED = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: NODE,
  format: 'esm',
  mainFields: ['module', 'main'],
  nodePaths: [path.join(BUILD, 'node_modules')],
  tsconfigRaw: {},
  write: false,
} satisfies BuildOptions;

/** The functions that are bundled: the same with each library, with bare requests, and one that does nothing. */
export type FunctionName = 'batchlatch' | 'powertools' | 'floor' | 'empty';
/** Everything that it needs, or without AWS's SDK, which Lambda's Node runtimes have. */
export type BundleKind = 'whole' | 'without-sdk';

/** Bundles and minifies a function as a user would, into a folder of its own. Sizes are what a deployment uploads. */
export async function bundleFunction(name: FunctionName, kind: BundleKind): Promise<FunctionBundle> {
  const file = path.join(BUILD, `functions/${name}-${kind}/index.mjs`);
  const { metafile, outputFiles } = await build({
    entryPoints: [path.join(BENCH, `functions/${name}.ts`)],
    outfile: file,
    ...MINIFIED,
    external: kind === 'without-sdk' ? ['@aws-sdk/*'] : [],
    // What holds no CommonJS must run without it.
    ...(name === 'powertools' && { banner: { js: REQUIRE } }),
    metafile: true,
  });
  const [contents] = outputFiles;
  const [output] = Object.values(metafile.outputs);
  if (contents === undefined || output === undefined) throw new Error(`Nothing was bundled for ${name}`);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, contents.contents);
  return {
    file,
    bytes: contents.contents.byteLength,
    gzipBytes: gzipSync(contents.contents).byteLength,
    packages: bytesByPackage(output.inputs),
  };
}

/** The bundle of a function with these statements, minified, without AWS's SDK. */
export async function minified(statements: readonly string[]): Promise<Omit<FunctionBundle, 'file'>> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: statements.join('\n'), resolveDir: BENCH },
    ...MINIFIED,
    external: ['@aws-sdk/*', '@smithy/*'],
    metafile: true,
  });
  const [output] = Object.values(metafile.outputs);
  const contents = outputFiles[0]?.contents ?? new Uint8Array();
  return {
    bytes: contents.byteLength,
    gzipBytes: gzipSync(contents).byteLength,
    packages: bytesByPackage(output?.inputs ?? {}),
  };
}

function bytesByPackage(
  inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>,
): FunctionBundle['packages'] {
  const packages = new Map<string, number>();
  for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
    const name = ownerOf(file);
    packages.set(name, (packages.get(name) ?? 0) + bytesInOutput);
  }
  return [...packages].map(([name, bytes]) => ({ name, bytes })).sort((a, b) => b.bytes - a.bytes);
}

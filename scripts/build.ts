/**
 * Builds what is published: `dist/esm` by TypeScript, and from it `dist/cjs`, file by file, for programs that `require` the
 * package, the code of the function that `ClaimMonitor` deploys, the bin, the pages of the console, and the template of README's
 * example. An argument names another folder than `dist`. Packages that are ES modules alone go into `dist/cjs`: Node 20.19 with
 * `--no-experimental-require-module`, which is how Lambda starts it, cannot `require` them. docs/decisions/0020 says why it
 * is done in this way.
 */
import { execFile } from 'node:child_process';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, type PluginBuild } from 'esbuild';
import { buildConsoleApp } from '../packages/cli/console-app/build.ts';
import { buildCli } from './build-cli.ts';
import { buildMonitorFunction } from './monitor-function.ts';
import { quickStartOf } from './release/quick-start.ts';
import { bringSources } from './source-maps.ts';
import { licensesOf, packagesOf } from './third-party-licenses.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = path.resolve(ROOT, process.argv[2] ?? 'dist');
const ESM = path.join(DIST, 'esm');
const CJS = path.join(DIST, 'cjs');
const LICENSES = 'THIRD-PARTY-LICENSES.md';

/** What cannot be required, and what it brings. */
const ONLY_ES_MODULES = new Set(['canonicalize', 'leven', 'p-limit', 'quick-lru', 'yocto-queue']);

await rm(DIST, { recursive: true, force: true });
await compile();
await withoutThis();
const inlined = await convert();
await copyTypes();
await bringSources(ROOT, DIST);
await writeFile(path.join(CJS, 'package.json'), json({ type: 'commonjs', sideEffects: false }));
await writeFile(path.join(CJS, LICENSES), await licensesOf(ROOT, inlined));
await buildMonitor();
await buildCli(ROOT, path.join(DIST, 'cli'));
await buildConsole();
await writeFile(
  path.join(DIST, 'template.yaml'),
  quickStartOf(await readFile(path.join(ROOT, 'README.md'), 'utf8')).template,
);

async function compile(): Promise<void> {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const { bin } = JSON.parse(await readFile(manifest, 'utf8')) as { bin: { tsc: string } };
  const compiler = path.join(path.dirname(manifest), bin.tsc);
  try {
    await promisify(execFile)(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', ESM], {
      cwd: ROOT,
    });
  } catch (error) {
    process.stderr.write((error as { stdout: string }).stdout);
    process.exit(1);
  }
}

/**
 * TypeScript begins its helpers with a look at `this`, which an ES module does not have: Rollup warns of it in every
 * bundle. No line moves, so that the source maps stay right.
 */
async function withoutThis(): Promise<void> {
  const files = await readdir(ESM, { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    const code = await readFile(path.join(ESM, file), 'utf8');
    const kept = code.replaceAll(/\(this && this\.__\w+\) \|\| /g, '');
    if (kept !== code) await writeFile(path.join(ESM, file), kept);
  }
}

/** Converts each file for itself, so that both builds have the same files. Returns the folders of the packages that were put into them. */
async function convert(): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [path.join(ESM, '**/*.js')],
    outdir: CJS,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    bundle: true,
    sourcemap: 'linked', // from map to map: they lead to the sources in TypeScript
    nodePaths: [path.join(ROOT, 'node_modules')],
    define: { 'import.meta.dirname': '__dirname' },
    // `require` later, in its place: where a test runner runs CommonJS in a context of its own, nothing can be imported there.
    supported: { 'dynamic-import': false },
    plugins: [{ name: 'keep-imports', setup: keepImports }],
    metafile: true,
    logLevel: 'error',
  });
  return packagesOf(metafile);
}

/** Leaves every import as it is but those of packages that cannot be required. */
function keepImports(esbuild: PluginBuild): void {
  esbuild.onResolve({ filter: /.*/ }, ({ path: specifier, kind, importer }) => {
    const isOurs = importer.startsWith(ESM);
    if (kind === 'entry-point' || !isOurs || ONLY_ES_MODULES.has(specifier)) return undefined;
    return { path: specifier, external: true };
  });
}

/** The same declarations mean CommonJS where the nearest package.json says so. */
async function copyTypes(): Promise<void> {
  await cp(ESM, CJS, { recursive: true, filter: (source) => !/\.js(\.map)?$/.test(source) });
}

/** The code that the CDK construct `ClaimMonitor` deploys. */
async function buildMonitor(): Promise<void> {
  const folder = path.join(DIST, 'monitor-function');
  const bundled = await buildMonitorFunction(path.join(ESM, 'cdk', 'monitor-function.js'), folder);
  await writeFile(path.join(folder, LICENSES), await licensesOf(ROOT, bundled));
}

/** The pages that `batchlatch console` serves. */
async function buildConsole(): Promise<void> {
  const folder = path.join(DIST, 'console-app');
  const files = await buildConsoleApp(folder);
  const inputs = Object.fromEntries(files.map((file) => [file, {}]));
  await writeFile(path.join(folder, LICENSES), await licensesOf(ROOT, packagesOf({ inputs })));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/**
 * Builds what is published, each package into its `dist`: all, or those that are named. Of the library and the constructs `dist/esm` by
 * TypeScript, and from it `dist/cjs`, file by file, for programs that `require` them; for the library the template of README's example
 * and the `exports` of its package.json,
 * for the constructs the code of the function that `ClaimMonitor` deploys. Of the command line the bin, the pages of the console, and the function that
 * `ClaimsConsole` deploys. `--out`
 * names another folder than the repository. Packages that are ES modules alone go into `dist/cjs`: Node 20.19 with
 * `--no-experimental-require-module`, which is how Lambda starts it, cannot `require` them. docs/decisions/0020 says why it
 * is done in this way.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { build, type PluginBuild } from 'esbuild';
import { buildConsoleApp } from '../packages/cli/console-app/build.ts';
import { buildCli } from './build-cli.ts';
import { ENTRIES, writeExports } from './entries.ts';
import { buildLambdaFunction } from './lambda-function.ts';
import { quickStartOf } from './release/quick-start.ts';
import { licensesOf, packagesOf } from './third-party-licenses.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LICENSES = 'THIRD-PARTY-LICENSES.md';

/** What cannot be required, and what it brings. */
const ONLY_ES_MODULES = new Set(['canonicalize', 'p-limit', 'quick-lru', 'yocto-queue']);

const BUILDS: Readonly<Record<string, (out: string) => Promise<void>>> = {
  library: buildLibrary,
  cdk: buildConstructs,
  cli: buildCommandLine,
};

const { values, positionals } = parseArgs({ options: { out: { type: 'string' } }, allowPositionals: true });
const out = path.resolve(ROOT, values.out ?? '.');
for (const name of positionals.length === 0 ? Object.keys(BUILDS) : positionals) {
  const start = BUILDS[name];
  if (start === undefined)
    throw new Error(`Expected names of ${Object.keys(BUILDS).join(', ')}, got \`${name}\``);
  await start(out);
}
await linkBin();

/** Lets `npx batchlatch` work in a checkout: npm links no bin whose file is missing, as it is at `npm ci`. */
async function linkBin(): Promise<void> {
  const bin = path.join(ROOT, 'node_modules/.bin/batchlatch');
  const isPacking = process.env['npm_lifecycle_event'] === 'prepack';
  if (isPacking || existsSync(bin) || !existsSync(path.join(ROOT, 'packages/cli/dist/cli'))) return;
  const rebuild = ['rebuild', 'batchlatch-cli', '--ignore-scripts', '--silent'];
  await promisify(execFile)('npm', rebuild, { cwd: ROOT, shell: process.platform === 'win32' });
}

async function buildLibrary(folder: string): Promise<void> {
  const dist = path.join(folder, 'dist');
  writeExports(path.join(ROOT, 'package.json'), ENTRIES);
  const inlined = await buildModules('scripts/tsconfig.build.json', dist);
  await writeFile(path.join(dist, 'cjs', LICENSES), await licensesOf(ROOT, inlined));
  const { template } = quickStartOf(await readFile(path.join(ROOT, 'README.md'), 'utf8'));
  await writeFile(path.join(dist, 'template.yaml'), template);
}

async function buildConstructs(folder: string): Promise<void> {
  const home = path.join(ROOT, 'packages/cdk');
  const dist = path.join(folder, 'packages/cdk/dist');
  writeExports(path.join(home, 'package.json'), { '.': 'index' });
  await buildModules('packages/cdk/tsconfig.build.json', dist);
  const monitor = path.join(dist, 'monitor-function');
  const bundled = await buildLambdaFunction(path.join(home, 'src/monitor-function.ts'), monitor);
  await writeFile(path.join(monitor, LICENSES), await licensesOf(ROOT, bundled));
}

async function buildCommandLine(folder: string): Promise<void> {
  const dist = path.join(folder, 'packages/cli/dist');
  await rm(dist, { recursive: true, force: true });
  await buildCli(ROOT, path.join(dist, 'cli'));
  // The pages that `batchlatch console` serves.
  const pages = path.join(dist, 'console-app');
  const files = await buildConsoleApp(pages);
  const inputs = Object.fromEntries(files.map((file) => [file, {}]));
  await writeFile(path.join(pages, LICENSES), await licensesOf(ROOT, packagesOf({ inputs })));
  // The same console for a team, which `ClaimsConsole` of `batchlatch-cdk` deploys with these pages.
  const home = path.join(ROOT, 'packages/cli');
  const manifest = JSON.parse(await readFile(path.join(home, 'package.json'), 'utf8')) as { version: string };
  const lambda = path.join(dist, 'console-function');
  const bundled = await buildLambdaFunction(
    path.join(home, 'src/console-function/console-function.ts'),
    lambda,
    { CONSOLE_VERSION: JSON.stringify(manifest.version) },
  );
  await writeFile(path.join(lambda, LICENSES), await licensesOf(ROOT, bundled));
}

/** Builds the modules that a `tsconfig` names, in both forms. Returns the folders of the packages that were put into them. */
async function buildModules(config: string, dist: string): Promise<readonly string[]> {
  const [esm, cjs] = [path.join(dist, 'esm'), path.join(dist, 'cjs')];
  await rm(dist, { recursive: true, force: true });
  await compile(config, esm);
  await withoutThis(esm);
  const inlined = await convert(esm, cjs);
  // The same declarations mean CommonJS where the nearest package.json says so.
  await cp(esm, cjs, { recursive: true, filter: (source) => !source.endsWith('.js') });
  await writeFile(path.join(cjs, 'package.json'), json({ type: 'commonjs', sideEffects: false }));
  return inlined;
}

async function compile(config: string, folder: string): Promise<void> {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const { bin } = JSON.parse(await readFile(manifest, 'utf8')) as { bin: { tsc: string } };
  const compiler = path.join(path.dirname(manifest), bin.tsc);
  try {
    await promisify(execFile)(process.execPath, [compiler, '-p', config, '--outDir', folder], {
      cwd: ROOT,
    });
  } catch (error) {
    process.stderr.write((error as { stdout: string }).stdout);
    process.exit(1);
  }
}

/**
 * TypeScript begins its helpers with a look at `this`, which an ES module does not have: Rollup warns of it in every
 * bundle.
 */
async function withoutThis(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    const code = await readFile(path.join(folder, file), 'utf8');
    const kept = code.replaceAll(/\(this && this\.__\w+\) \|\| /g, '');
    if (kept !== code) await writeFile(path.join(folder, file), kept);
  }
}

/** Converts each file for itself, so that both builds have the same files. Returns the folders of the packages that were put into them. */
async function convert(esm: string, cjs: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [path.join(esm, '**/*.js')],
    outdir: cjs,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    bundle: true,
    nodePaths: [path.join(ROOT, 'node_modules')],
    define: { 'import.meta.dirname': '__dirname' },
    // `require` later, in its place: where a test runner runs CommonJS in a context of its own, nothing can be imported there.
    supported: { 'dynamic-import': false },
    plugins: [{ name: 'keep-imports', setup: (esbuild) => keepImports(esbuild, esm) }],
    metafile: true,
    logLevel: 'error',
  });
  return packagesOf(metafile);
}

/** Leaves every import as it is but those of packages that cannot be required. */
function keepImports(esbuild: PluginBuild, esm: string): void {
  esbuild.onResolve({ filter: /.*/ }, ({ path: specifier, kind, importer }) => {
    const isOurs = importer.startsWith(esm);
    if (kind === 'entry-point' || !isOurs || ONLY_ES_MODULES.has(specifier)) return undefined;
    return { path: specifier, external: true };
  });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

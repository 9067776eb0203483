import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PACKED = path.join(ROOT, 'reports/packed');
const DAY_MS = 86_400_000;

/** The packages that are published: their folders, and the script that builds each in a copy of the repository's folders. */
const PACKAGES = {
  batchlatch: { home: '.', build: ['scripts/build.ts', 'library', '--out'] },
  'batchlatch-cdk': { home: 'packages/cdk', build: ['scripts/build.ts', 'cdk', '--out'] },
  'batchlatch-cli': { home: 'packages/cli', build: ['scripts/build.ts', 'cli', '--out'] },
  'create-batchlatch': { home: 'packages/create', build: ['packages/create/build.ts', '--out'] },
} as const;

export type PackageName = keyof typeof PACKAGES;
export const PACKAGE_NAMES = Object.keys(PACKAGES) as readonly PackageName[];

/** Files of a package that are published as they are. */
const PUBLISHED = ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'templates'];
/** Whatever a package is built from. */
const SOURCES = [...PUBLISHED, 'package-lock.json', 'tsconfig.json', 'scripts', 'src', 'packages'];
const IS_SOURCE = /^(?!(?:.*\/)?(?:dist|node_modules|test)\/)/;

/**
 * The tarball of a package as `npm publish` would pack it, in `reports/packed`. A package is built once for the same sources: the steps
 * of CI share its tarball, also those that run at the same time.
 */
export async function packedPackage(name: PackageName): Promise<string> {
  const folder = path.join(PACKED, await digestOfSources());
  const manifest = path.join(ROOT, PACKAGES[name].home, 'package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  const tarball = path.join(folder, `${name}-${version}.tgz`);
  if (existsSync(tarball)) return tarball;

  await removeOld();
  await mkdir(folder, { recursive: true });
  // Below the repository's tsconfig.json and node_modules, which the code that is built depends on.
  const copy = await mkdtemp(path.join(PACKED, 'packing-'));
  try {
    await pack(name, copy);
    // A process that packs the same at this time replaces an equal file.
    await rename(path.join(copy, path.basename(tarball)), tarball);
  } finally {
    await rm(copy, { recursive: true });
  }
  return tarball;
}

async function pack(name: PackageName, copy: string): Promise<void> {
  const { home, build } = PACKAGES[name];
  const published = path.join(copy, home);
  for (const file of PUBLISHED) {
    const source = path.join(ROOT, home, file);
    if (existsSync(source)) await cp(source, path.join(published, file), { recursive: true });
  }
  await run(process.execPath, ['--import', 'tsx', ...build, copy], { cwd: ROOT });
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', copy], { cwd: published });
}

async function digestOfSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of SOURCES) {
    for (const file of await filesOf(name)) hash.update(file).update(await readFile(path.join(ROOT, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** The file of this name, or the sources in the folder of this name. */
async function filesOf(name: string): Promise<string[]> {
  const place = path.join(ROOT, name);
  if (!existsSync(place)) return [];
  if ((await stat(place)).isFile()) return [name];
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((file) => IS_SOURCE.test(file))
    .toSorted();
}

/** Removes the tarballs of sources that have changed, but for those that a run may still use. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(PACKED).catch(() => [])) {
    const folder = path.join(PACKED, name);
    if (Date.now() - (await stat(folder)).mtimeMs > DAY_MS)
      await rm(folder, { recursive: true, force: true });
  }
}

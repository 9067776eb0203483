import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { installedAt, installOnce } from './cache.ts';
import { isOnPath, runCommand } from './run-command.ts';

/** Programs of this machine's Debian release, unpacked into the cache folder: nothing is installed, so no root is needed. */
export interface DebianPackages {
  /** The folder's name in the cache. */
  readonly folder: string;
  /** Packages, with those libraries that a small Debian lacks. */
  readonly packages: readonly string[];
  /** Whether everything they depend on and this machine lacks is unpacked beside them; default false. */
  readonly withDependencies?: boolean;
}

/** What this machine lacks to unpack them, as a sentence; undefined when nothing is missing. */
export function whyDebianMissing({ folder, packages }: DebianPackages): string | undefined {
  if (existsSync(installedAt(folder))) return undefined;
  if (existsSync('/etc/debian_version') && isOnPath('apt-get') && isOnPath('dpkg-deb')) return undefined;
  return `this is no Debian, whose packages ${packages.join(', ')} it needs once`;
}

/** The folder into which the packages are unpacked; `usr/bin` is in it. */
export function debianFolder(wanted: DebianPackages): Promise<string> {
  return installOnce(wanted.folder, async (target) => {
    const downloads = join(target, 'downloads');
    await mkdir(downloads);
    await download(wanted, downloads);
    for (const file of await readdir(downloads)) {
      if (file.endsWith('.deb')) await runCommand('dpkg-deb', ['-x', join(downloads, file), target]);
    }
    await rm(downloads, { recursive: true });
  });
}

async function download(wanted: DebianPackages, cwd: string): Promise<void> {
  try {
    await downloadNow(wanted, cwd);
  } catch (error) {
    if (process.getuid?.() !== 0) throw error;
    await runCommand('apt-get', ['update', '-qq']); // a new machine has no lists of packages
    await downloadNow(wanted, cwd);
  }
}

async function downloadNow(
  { packages, withDependencies = false }: DebianPackages,
  cwd: string,
): Promise<void> {
  const missing = withDependencies ? await whatIsMissing(packages) : [];
  await runCommand('apt-get', ['download', '-qq', ...new Set([...packages, ...missing])], { cwd });
}

/** The packages that apt would install for these, by a dry run. */
async function whatIsMissing(packages: readonly string[]): Promise<string[]> {
  const dryRun = ['install', '--simulate', '--no-install-recommends', ...packages];
  const plan = await runCommand('apt-get', dryRun);
  return [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
}

/** The environment in which the unpacked programs find their libraries. */
export function debianEnvironment(folder: string): Record<string, string | undefined> {
  const libraries = ['usr/lib/x86_64-linux-gnu', 'usr/lib/aarch64-linux-gnu'].map((path) =>
    join(folder, path),
  );
  return { ...process.env, LD_LIBRARY_PATH: libraries.join(':') };
}

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
}

/** What this machine lacks to unpack them, as a sentence; undefined when nothing is missing. */
export function whyDebianMissing({ folder, packages }: DebianPackages): string | undefined {
  if (existsSync(installedAt(folder))) return undefined;
  if (existsSync('/etc/debian_version') && isOnPath('apt-get') && isOnPath('dpkg-deb')) return undefined;
  return `this is no Debian, whose packages ${packages.join(', ')} it needs once`;
}

/** The folder into which the packages are unpacked; `usr/bin` is in it. */
export function debianFolder({ folder, packages }: DebianPackages): Promise<string> {
  return installOnce(folder, async (target) => {
    const downloads = join(target, 'downloads');
    await mkdir(downloads);
    await download(packages, downloads);
    for (const file of await readdir(downloads)) {
      if (file.endsWith('.deb')) await runCommand('dpkg-deb', ['-x', join(downloads, file), target]);
    }
    await rm(downloads, { recursive: true });
  });
}

async function download(packages: readonly string[], cwd: string): Promise<void> {
  try {
    await runCommand('apt-get', ['download', '-qq', ...packages], { cwd });
  } catch (error) {
    if (process.getuid?.() !== 0) throw error;
    await runCommand('apt-get', ['update', '-qq']); // a new machine has no lists of packages
    await runCommand('apt-get', ['download', '-qq', ...packages], { cwd });
  }
}

/** The environment in which the unpacked programs find their libraries. */
export function debianEnvironment(folder: string): Record<string, string | undefined> {
  const libraries = ['usr/lib/x86_64-linux-gnu', 'usr/lib/aarch64-linux-gnu'].map((path) =>
    join(folder, path),
  );
  return { ...process.env, LD_LIBRARY_PATH: libraries.join(':') };
}

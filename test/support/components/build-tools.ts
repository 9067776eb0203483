import { existsSync } from 'node:fs';
import { isOnPath, runCommand } from './run-command.ts';

/** The programs that AWS's runtime client is compiled with, and the Debian package of each. */
const PACKAGES: Readonly<Record<string, string>> = {
  autoconf: 'autoconf',
  automake: 'automake',
  libtoolize: 'libtool',
  cmake: 'cmake',
  make: 'make',
  'g++': 'g++',
  xz: 'xz-utils',
  python3: 'python3',
};

/** The tools this machine lacks, unless they can be installed from here. */
export function whyBuildToolsMissing(): string | undefined {
  const missing = missingPackages();
  if (missing.length === 0 || canInstallPackages()) return undefined;
  return `a compiler and its tools are missing; Debian: apt-get install ${missing.join(' ')}`;
}

/** Installs what is missing; as root on Debian only, elsewhere it rejects with what to install. */
export async function installBuildTools(): Promise<void> {
  const missing = whyBuildToolsMissing();
  if (missing !== undefined) throw new Error(missing);
  const packages = missingPackages();
  if (packages.length > 0) await aptInstall(packages);
}

/** Installs Debian packages without asking. */
async function aptInstall(packages: readonly string[]): Promise<void> {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await runCommand('apt-get', ['update', '-qq'], { env });
  await runCommand('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env });
}

function missingPackages(): string[] {
  return Object.entries(PACKAGES).flatMap(([program, name]) => (isOnPath(program) ? [] : [name]));
}

function canInstallPackages(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && isOnPath('apt-get');
}

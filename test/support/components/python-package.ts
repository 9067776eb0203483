import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installedAt, installOnce } from './cache.ts';
import { isOnPath, runCommand } from './run-command.ts';

/** A program from PyPI, in a virtual environment of its own. */
export interface PythonPackage {
  /** The component's name and version: the folder of the cache. */
  readonly folder: string;
  /** As pip takes it: `moto[server]==5.2.5`. */
  readonly requirement: string;
}

export const PYTHON_MISSING = 'python3 is not on PATH; Debian: apt-get install python3-venv';

/** What a machine lacks to install the package. */
export function whyPythonMissing({ folder }: PythonPackage): string | undefined {
  if (existsSync(installedAt(folder)) || isOnPath('python3')) return undefined;
  return PYTHON_MISSING;
}

/**
 * Installs the package, unless it is there, and gives the environment's Python. Run the program with `-m`: the
 * scripts in `bin` hold the path of the folder that the environment was made in.
 */
export async function pythonWith(wanted: PythonPackage): Promise<string> {
  const missing = whyPythonMissing(wanted);
  if (missing !== undefined) throw new Error(`${wanted.folder}: ${missing}`);
  const folder = await installOnce(wanted.folder, async (folder) => {
    await runCommand('python3', ['-m', 'venv', folder]);
    // Python compiles what is used when it is first used, which is little of it.
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-compile', wanted.requirement];
    await runCommand(join(folder, 'bin', 'python'), pip);
  });
  return join(folder, 'bin', 'python');
}

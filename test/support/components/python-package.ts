import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installedAt, installOnce } from './cache.ts';
import { pythonPins } from './pins.ts';
import { isOnPath, runCommand } from './run-command.ts';

export const PYTHON_MISSING = 'python3 is not on PATH; Debian: apt-get install python3-venv';

/** What a machine lacks to install a program of `scripts/pins/python`. */
export function whyPythonMissing(name: string): string | undefined {
  if (existsSync(installedAt(pythonPins(name).folder)) || isOnPath('python3')) return undefined;
  return PYTHON_MISSING;
}

/**
 * Installs a program of `scripts/pins/python` into a virtual environment of its own, unless it is there, and gives the
 * environment's Python. Run the program with `-m`: the scripts in `bin` hold the path of the folder that the
 * environment was made in.
 */
export async function pythonWith(name: string): Promise<string> {
  const missing = whyPythonMissing(name);
  if (missing !== undefined) throw new Error(`${name}: ${missing}`);
  const pins = pythonPins(name);
  const folder = await installOnce(pins.folder, async (folder) => {
    await runCommand('python3', ['-m', 'venv', folder]);
    await installPinned(join(folder, 'bin', 'python'), pins.path);
  });
  return join(folder, 'bin', 'python');
}

/** Installs what a list holds, which has to be complete, digests checked: with uv, in a fifth of pip's time. */
export async function installPinned(python: string, list: string, ...options: string[]): Promise<void> {
  const pinned = ['--no-deps', '--only-binary', ':all:', '--quiet'];
  // Python compiles what is used when it is first used, which is little of it.
  const pip = ['-m', 'pip', 'install', '--require-hashes', '--no-compile', ...pinned];
  await runCommand(python, [...pip, '-r', pythonPins('uv').path]);
  const uv = ['-m', 'uv', 'pip', 'install', '--require-hashes', '--no-cache', '--python', python, ...pinned];
  await runCommand(python, [...uv, ...options, '-r', list]).catch(() =>
    // uv does not read pip's settings, such as a mirror.
    runCommand(python, [...pip, ...options, '-r', list]),
  );
}

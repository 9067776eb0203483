import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installOnce } from './cache.ts';
import { npmPins } from './pins.ts';
import { runCommand } from './run-command.ts';

/**
 * Installs what a folder of `scripts/pins/npm` lists, digests checked, unless it is there, and gives its
 * `node_modules`. Install scripts run where its `package.json` allows them.
 */
export async function npmPackages(name: string): Promise<string> {
  const pins = npmPins(name);
  const folder = await installOnce(pins.folder, async (folder) => {
    for (const file of ['package.json', 'package-lock.json']) {
      await copyFile(join(pins.path, file), join(folder, file));
    }
    await runCommand('npm', ['ci', '--no-audit', '--no-fund', '--prefix', folder], { cwd: folder });
  });
  return join(folder, 'node_modules');
}

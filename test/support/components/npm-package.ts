import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';

/** Installs one npm package, and what it depends on, into `folder/node_modules`. Its install scripts run. */
export async function npmInstall(folder: string, name: string, version: string): Promise<void> {
  // npm 11 warns about install scripts that nobody allowed, and later ones will not run them.
  const manifest = { private: true, allowScripts: { [name]: true } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await runCommand('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${version}`], {
    cwd: folder,
  });
}

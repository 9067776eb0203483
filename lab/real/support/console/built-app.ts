import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runCommand } from '../../../../test/support/components/run-command.ts';
import { runFolder } from '../sam-cli.ts';

/** The folder of the console's pages as they are now, built by the first test of a run that wants them. */
export async function builtApp(): Promise<string> {
  const folder = join(runFolder(), 'console-app');
  if (existsSync(folder)) return folder;
  const beside = `${folder}-${process.pid}`;
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');
  await runCommand(process.execPath, [
    vite,
    'build',
    'packages/cli/console-app',
    '--outDir',
    beside,
    '--logLevel',
    'warn',
  ]);
  // A folder that has the name is complete.
  await rename(beside, folder);
  return folder;
}

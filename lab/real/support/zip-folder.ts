import { join } from 'node:path';
import { installedAt } from '../../../test/support/components/cache.ts';
import { runCommand } from '../../../test/support/components/run-command.ts';

const PYTHON = join(installedAt('sam'), 'bin', 'python');

/** Puts what the folder holds into an archive. Needs what `samCli` installs. */
export async function zipFolder(folder: string, archive: string): Promise<void> {
  await runCommand(PYTHON, ['-m', 'zipfile', '-c', archive, '.'], { cwd: folder });
}

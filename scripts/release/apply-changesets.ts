import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const PROGRAM = createRequire(import.meta.url).resolve('@changesets/cli/bin.js');

/**
 * Runs `changeset version` on the repository in this folder. In a folder that shows it without its workspaces: where there
 * are some, changesets releases them and never the package that has them.
 */
export async function applyChangesets(root: string): Promise<void> {
  const view = await mkdtemp(path.join(tmpdir(), 'batchlatch-changesets-'));
  const inRoot = (name: string): string => path.join(root, name);
  const inView = (name: string): string => path.join(view, name);
  try {
    const manifest = JSON.parse(await readFile(inRoot('package.json'), 'utf8')) as { version: string };
    await writeFile(inView('package.json'), JSON.stringify({ ...manifest, workspaces: undefined }));
    await cp(inRoot('CHANGELOG.md'), inView('CHANGELOG.md'));
    await symlink(inRoot('.changeset'), inView('.changeset'));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, 'version'], {
      cwd: view,
    });
    process.stderr.write(stdout + stderr);
    const { version } = JSON.parse(await readFile(inView('package.json'), 'utf8')) as { version: string };
    if (version === manifest.version) return;
    await writeFile(inRoot('package.json'), `${JSON.stringify({ ...manifest, version }, undefined, 2)}\n`);
    await cp(inView('CHANGELOG.md'), inRoot('CHANGELOG.md'));
  } finally {
    await rm(view, { recursive: true, force: true });
  }
}

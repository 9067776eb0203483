import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What is installed, built or written by runs, and no part of the sources. */
const LEFT_OUT = new Set(['.git', '.aws-sam', '.stryker-tmp', 'coverage', 'dist', 'node_modules', 'reports']);

/** Addresses that a publisher fills in; nobody has them. */
export const MADE_UP = {
  repository: { type: 'git', url: 'git+https://github.com/example/batchlatch.git' },
  bugs: { url: 'https://github.com/example/batchlatch/issues', email: 'security@example.com' },
  homepage: 'https://github.com/example/batchlatch#readme',
};

/** Copies the sources and the installed packages into the folder, with these fields in package.json. */
export async function copyRepository(folder: string, fields: object): Promise<void> {
  await mkdir(folder, { recursive: true });
  await cp('.', folder, { recursive: true, filter: (file) => !LEFT_OUT.has(path.basename(file)) });
  // Not by a symbolic link: bundlers write down where packages really are. Hard links, where both are on one disk.
  await run('cp', ['-al', 'node_modules', folder]).catch(() => run('cp', ['-a', 'node_modules', folder]));
  const manifest = path.join(folder, 'package.json');
  const all = { ...JSON.parse(await readFile(manifest, 'utf8')), ...fields };
  await writeFile(manifest, `${JSON.stringify(all, undefined, 2)}\n`);
}

/** Packs a copy as `npm publish` does, with the steps that npm runs before and after. Returns the path of the tarball. */
export async function packCopy(copy: string, folder: string): Promise<string> {
  const args = ['pack', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: copy });
  return path.join(folder, /batchlatch-[^"]*\.tgz/.exec(stdout)?.[0] ?? '');
}

import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { RELEASED_WITH_IT } from '../../scripts/release/released-with-it.ts';

const run = promisify(execFile);

/** What is installed, built or written by runs, and no part of the sources. */
const LEFT_OUT = new Set(['.git', '.aws-sam', '.stryker-tmp', 'coverage', 'dist', 'node_modules', 'reports']);

/** Addresses that a publisher fills in; nobody has them. */
export const MADE_UP = {
  repository: { type: 'git', url: 'git+https://github.com/example/batchlatch.git' },
  bugs: { url: 'https://github.com/example/batchlatch/issues', email: 'security@example.com' },
  homepage: 'https://github.com/example/batchlatch#readme',
};

/** Copies the sources and the installed packages into the folder, with these fields in the manifest of each package that is published. */
export async function copyRepository(folder: string, fields: object): Promise<void> {
  await mkdir(folder, { recursive: true });
  await cp('.', folder, { recursive: true, filter: (file) => !LEFT_OUT.has(path.basename(file)) });
  // Not by a symbolic link: bundlers write down where packages really are. Hard links, where both are on one disk.
  await run('cp', ['-al', 'node_modules', folder]).catch(() => run('cp', ['-a', 'node_modules', folder]));
  for (const file of ['package.json', ...RELEASED_WITH_IT]) {
    const manifest = path.join(folder, file);
    const all = { ...JSON.parse(await readFile(manifest, 'utf8')), ...fields };
    await writeFile(manifest, `${JSON.stringify(all, undefined, 2)}\n`);
  }
}

/** A package that is published. */
export type PublishedPackage = 'batchlatch' | 'batchlatch-cdk' | 'batchlatch-cli';

/** Packs a package of a copy as `npm publish` does, with the steps that npm runs before and after. Returns the path of the tarball. */
export async function packCopy(copy: string, folder: string, name: PublishedPackage): Promise<string> {
  const workspace = name === 'batchlatch' ? [] : ['--workspace', name];
  const args = ['pack', ...workspace, '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: copy });
  return path.join(folder, /batchlatch-[^"]*\.tgz/.exec(stdout)?.[0] ?? '');
}

import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './root.ts';

interface Manifest {
  readonly version: string;
  readonly repository?: string | { readonly url: string };
}

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** The version of the library that the pages are about. */
export const VERSION: string = manifest.version;

/** The repository as a browser opens it; undefined as long as `package.json` names none. */
const ADDRESS = addressIn(manifest);

/** Returns the address of a file or folder in the repository, to read it or to edit it. */
export function inRepository(
  file: string,
  to: 'read' | 'edit' = 'read',
  address = ADDRESS,
): string | undefined {
  if (address === undefined) return undefined;
  const isFolder = existsSync(path.join(ROOT, file)) && statSync(path.join(ROOT, file)).isDirectory();
  const kind = to === 'edit' && !isFolder ? 'edit' : isFolder ? 'tree' : 'blob';
  return `${address}/${kind}/main/${file}`;
}

/** npm's forms of the address begin with `git+` and end with `.git`. */
export function addressIn({ repository }: Pick<Manifest, 'repository'>): string | undefined {
  const url = typeof repository === 'object' ? repository.url : repository;
  return url
    ?.replace(/^git\+/, '')
    .replace(/\.git$/, '')
    .replace(/^github:/, 'https://github.com/');
}

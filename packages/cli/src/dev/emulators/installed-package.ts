import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ConfigurationError } from '../../tool-base/errors.ts';

/** The folders to resolve packages from: the project that the command runs in, then this package. */
const FOLDERS: readonly string[] = [process.cwd(), path.dirname(fileURLToPath(import.meta.url))];

/** Imports an emulator, from the project or installed with this package. */
export async function importInstalled(name: string, folders: readonly string[] = FOLDERS): Promise<unknown> {
  const folder = installedFolder(name, folders);
  if (folder === undefined) throw notInstalled([name]);
  const text = readFileSync(path.join(folder, 'package.json'), 'utf8');
  const { exports: entries, main } = JSON.parse(text) as { exports?: unknown; main?: string };
  return (await import(
    pathToFileURL(path.join(folder, entryOf(entries) ?? main ?? 'index.js')).href
  )) as unknown;
}

/** Returns the folder of a package; undefined if it is not installed. */
export function installedFolder(name: string, folders: readonly string[] = FOLDERS): string | undefined {
  return folders
    .flatMap((folder) => [...upwards(path.resolve(folder))])
    .map((folder) => path.join(folder, 'node_modules', name))
    .find((folder) => existsSync(path.join(folder, 'package.json')));
}

/** Returns an error that names the packages to install. */
export function notInstalled(names: readonly string[]): ConfigurationError {
  const what = names.length === 1 ? 'a package that is not installed' : 'packages that are not installed';
  return new ConfigurationError(
    `This needs ${what} here: run \`npm install --save-dev ${names.join(' ')}\` in your project.`,
  );
}

function* upwards(folder: string): Generator<string> {
  for (let at = folder; ; at = path.dirname(at)) {
    yield at;
    if (at === path.dirname(at)) return;
  }
}

/** Returns the file of `exports` for an import, through nested conditions. */
function entryOf(entries: unknown): string | undefined {
  if (typeof entries === 'string') return entries;
  if (typeof entries !== 'object' || entries === null) return undefined;
  const conditions = entries as Readonly<Record<string, unknown>>;
  for (const name of ['.', 'node', 'import', 'default']) {
    const found = Object.hasOwn(conditions, name) ? entryOf(conditions[name]) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

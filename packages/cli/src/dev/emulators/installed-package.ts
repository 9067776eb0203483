import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ConfigurationError } from '../../tool-base/errors.ts';

/** Where packages are looked for: in the project that the command is run in, and beside this package. */
const FOLDERS: readonly string[] = [process.cwd(), path.dirname(fileURLToPath(import.meta.url))];

/** Imports an emulator: the project's own, or the one that this package brings. */
export async function importInstalled(name: string, folders: readonly string[] = FOLDERS): Promise<unknown> {
  const folder = installedFolder(name, folders);
  if (folder === undefined) throw notInstalled([name]);
  const text = readFileSync(path.join(folder, 'package.json'), 'utf8');
  const { exports: entries, main } = JSON.parse(text) as { exports?: unknown; main?: string };
  return (await import(
    pathToFileURL(path.join(folder, entryOf(entries) ?? main ?? 'index.js')).href
  )) as unknown;
}

/** The folder of a package; undefined where it is not installed. */
export function installedFolder(name: string, folders: readonly string[] = FOLDERS): string | undefined {
  return folders
    .flatMap((folder) => [...upwards(path.resolve(folder))])
    .map((folder) => path.join(folder, 'node_modules', name))
    .find((folder) => existsSync(path.join(folder, 'package.json')));
}

/** What to install. Throw it. */
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

/** The file of `exports` for an import, however deep its conditions are. */
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

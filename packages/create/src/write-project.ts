import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { refused } from './create-error.ts';

const NAMES_SHOWN = 5;

/** Throws a `CreateError` for a folder that has files other than those of git, and names them. */
export function assertEmpty(folder: string, given: string): void {
  const names = namesIn(folder, given)
    .filter((name) => name !== '.git')
    .toSorted();
  if (names.length === 0) return;
  const others = names.length - NAMES_SHOWN;
  const shown = names.slice(0, NAMES_SHOWN).join(', ') + (others > 0 ? ` and ${others} more` : '');
  throw refused(`${given} is not empty: it has ${shown}. Nothing was written; choose another folder`);
}

/** Writes the files and creates the folder if needed. Throws rather than replace an existing file. */
export function writeProject(folder: string, files: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(path.join(folder, name), text, { flag: 'wx' });
}

function namesIn(folder: string, given: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    if (code === 'ENOENT')
      throw refused(
        `${given} is a link to nothing. Nothing was written; remove it, or choose another folder`,
      );
    if (code === 'ENOTDIR')
      throw refused(`${given} is not a folder. Nothing was written; choose another one`);
    throw error;
  }
}

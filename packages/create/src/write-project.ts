import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { refused } from './create-error.ts';

const NAMES_SHOWN = 5;

/** Refuses a folder that has something in it, and names what. Throws a `CreateError`. */
export function assertEmpty(folder: string, given: string): void {
  const names = namesIn(folder, given).toSorted();
  if (names.length === 0) return;
  const others = names.length - NAMES_SHOWN;
  const shown = names.slice(0, NAMES_SHOWN).join(', ') + (others > 0 ? ` and ${others} more` : '');
  throw refused(`${given} is not empty: it has ${shown}. Nothing was written; choose another folder`);
}

/** Writes the files into a folder, which is made if it is not there. Replaces nothing: a file that has come meanwhile is an error. */
export function writeProject(folder: string, files: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(path.join(folder, name), text, { flag: 'wx' });
}

function namesIn(folder: string, given: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR')
      throw refused(`${given} is not a folder. Nothing was written; choose another one`);
    throw error;
  }
}

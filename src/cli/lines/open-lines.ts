import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CliError } from '../cli-error.ts';
import type { Surroundings } from '../surroundings.ts';

/** A file of lines, or standard input. */
export interface LineSource {
  /** As people named it. */
  readonly name: string;
  /** In bytes; undefined where nobody knows it. */
  readonly size: number | undefined;
  readonly chunks: AsyncIterable<string | Uint8Array>;
}

/** Opens a file, or standard input for `-`. Throws a `CliError` for what is no file that can be read. */
export async function openLines(file: string, { stdin }: Pick<Surroundings, 'stdin'>): Promise<LineSource> {
  if (file === '-') return { name: 'standard input', size: undefined, chunks: stdin };
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new CliError(`${file} is a folder and not a file.`);
    // A pipe, such as a shell makes of <(…), has no size.
    const size = found.isFile() ? found.size : undefined;
    return { name: file, size, chunks: createReadStream(file) as AsyncIterable<Uint8Array> };
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new CliError(`There is no file ${file}.`);
  if (code === 'EACCES') return new CliError(`The file ${file} may not be read.`);
  return error;
}

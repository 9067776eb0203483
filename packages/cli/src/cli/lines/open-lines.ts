import { type FileHandle, open } from 'node:fs/promises';
import type { ProcessIo } from '../process-io.ts';
import { unreadable } from '../unreadable.ts';

/** A file of lines, or standard input. */
export interface LineSource {
  /** As the person named it. */
  readonly name: string;
  /** In bytes; undefined if unknown. */
  readonly size: number | undefined;
  readonly chunks: AsyncIterable<string | Uint8Array>;
}

/** Opens a file, or standard input for `-`. Throws a `UsageError` for a file that cannot be read. */
export async function openLines(file: string, { stdin }: Pick<ProcessIo, 'stdin'>): Promise<LineSource> {
  if (file === '-') return { name: 'standard input', size: undefined, chunks: stdin };
  let handle: FileHandle | undefined;
  try {
    handle = await open(file); // not createReadStream(file): it would emit its error before anyone listens
    const found = await handle.stat();
    if (found.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    // A pipe, such as the shell's <(…), has no size.
    const size = found.isFile() ? found.size : undefined;
    return { name: file, size, chunks: handle.createReadStream() as AsyncIterable<Uint8Array> };
  } catch (error) {
    await handle?.close();
    throw unreadable(`The file ${file}`, error as NodeJS.ErrnoException);
  }
}
